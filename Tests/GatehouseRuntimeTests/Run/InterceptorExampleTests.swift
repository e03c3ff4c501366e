// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

// example
/// Stops orders above a limit, and asks for approval instead.
struct Limit: InterceptingPlugin {
    enum Action: PluginAction {
        case placed(id: Int, total: Double)
        case approvalNeeded(id: Int)
    }
    struct Settings: PluginSettings { var maximum = 100.0 }

    static func middleware() -> Reader { .doNothing() }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        AnyInterceptor { action, _, _, output, next in
            guard case .placed(let id, let total) = action, total > context.settings.maximum else {
                return next()
            }
            output.dispatch(.approvalNeeded(id: id))
        }
    }
}
// example

/// The example of the guide for authors, compiled and run.
@Suite(.timeLimit(.minutes(10))) struct InterceptorExampleTests {
    @Test func `the guide shows the example as it is compiled here`() throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let example = try #require(source.split(separator: "// example\n").dropFirst().first)
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let guide = try String(contentsOfFile: "/\(root)/Documentation/Writing-a-plugin.md", encoding: .utf8)
        #expect(guide.contains("```swift\n\(example)```\n"))
    }

    @Test func `an order above the limit is stopped, and approval asked for`() throws {
        let actions = Mutex<[String]>([])
        let reporter = Reporter { Issue.record("\($0)") }
        let limit = LinkedPlugin(
            entry: InstanceConfiguration(id: "orders", settings: ["maximum": 50]),
            manifest: PluginManifest(
                id: "limit", version: try #require(SemanticVersion("1.0.0")), summary: "", principal: "Limit",
                consumes: ["placed"], emits: ["approvalNeeded"], permissions: ["intercept"]),
            exports: PluginEntry.exports(of: Limit.self))
        let assembly = try Assembly(
            linking: [limit],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { reporter.send($0) }))
        let host = Host(assembly, reports: reporter) { dispatched in
            let action = dispatched.action;
            actions.withLock { $0.append("\(action.type.name) \(action.payload?.json() ?? "")") }
        }
        for (id, total) in [(1, 20.0), (2, 50.5)] {
            host.dispatch(
                AnyAction("orders/placed", payload: ["id": .integer(Int64(id)), "total": .double(total)]),
                from: .here())
        }
        #expect(
            actions.withLock { $0 } == [
                #"orders/placed {"id":1,"total":20.0}"#, #"orders/approvalNeeded {"id":2}"#,
            ])
        #expect(host.counts.stoppedActions == 1)
    }
}
