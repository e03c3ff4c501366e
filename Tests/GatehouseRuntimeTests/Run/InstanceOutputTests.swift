// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct InstanceOutputTests {
    /// Answers with an action that does not tell its name.
    private struct Nameless: Plugin {
        enum Action: PluginAction {
            case ask, answer

            func encodedName() throws -> String {
                if case .ask = self { return "ask" }
                throw CodingFailure(
                    pointer: JSONPointer(tokens: []), expected: "a name", found: "none")
            }
        }

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                if case .ask = action { .just(.answer) } else { .doNothing }
            }
        }
    }

    @Test func `an output that has no name is refused and reported at once, with the plugin's own reason`()
        throws
    {
        let version = try #require(SemanticVersion("1.0.0"))
        let reporter = Reports()
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "nameless"),
            manifest: PluginManifest(
                id: "nameless", version: version, summary: "", principal: "Nameless", consumes: ["ask"],
                emits: ["answer"]),
            exports: PluginEntry.exports(of: Nameless.self))
        let host = Host(
            try Assembly(
                linking: [plugin],
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { reporter.add($0) })),
            reports: Reporter { reporter.add($0) })
        host.dispatch(AnyAction("nameless/ask"), from: .here())
        #expect(
            reporter.lines == [
                "nameless: an action that it emits cannot be written as JSON: the whole value: expected a name, found none"
            ])
        #expect(host.counts.refusedOutputs == 1)
        host.dispatch(AnyAction("nameless/ask"), from: .here())
        #expect(reporter.lines.count == 2)
        #expect(host.counts.refusedOutputs == 2)
    }

    /// Answers from places of its own choice.
    private struct Placed: Plugin {
        enum Action: PluginAction { case ask, plain, tracked }

        static func middleware() -> Reader {
            .onAction { action, _, context in
                guard case .ask = action else { return .doNothing }
                let place = ActionSource(file: "Placed", function: "", line: 3, info: nil)
                return .start { _, output in
                    output.send(DispatchedAction(.plain, dispatcher: place))
                    output.send(DispatchedAction(.tracked, dispatcher: place.with(info: "a trail")))
                    output.send(DispatchedAction(.plain, dispatcher: context.dispatcher))
                    output.finish()
                }
            }
        }
    }

    @Test func `an output with a source of its own names its instance, unless the source says more already`()
        throws
    {
        let version = try #require(SemanticVersion("1.0.0"))
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "placed"),
            manifest: PluginManifest(
                id: "placed", version: version, summary: "", principal: "Placed",
                consumes: ["ask", "plain", "tracked"], emits: ["plain", "tracked"]),
            exports: PluginEntry.exports(of: Placed.self))
        let witness = LinkedPlugin(
            entry: InstanceConfiguration(id: "witness"),
            manifest: PluginManifest(
                id: "witness", version: version, summary: "", principal: "Witness", consumes: ["*"]),
            exports: PluginEntry.exports(of: Witness.self))
        Witness.seen.withLock { $0 = [] }
        let host = Host(
            try Assembly(
                linking: [plugin, witness],
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { _ in })),
            reports: Reporter { _ in })
        host.dispatch(
            AnyAction("placed/ask"), from: ActionSource(file: "input", function: "", line: 7, info: nil))
        #expect(
            Witness.seen.withLock { $0 } == [
                "placed/ask input:7 nil", "placed/plain Placed:3 placed", "placed/tracked Placed:3 a trail",
                "placed/plain input:7 placed",
            ])
    }

    /// Writes down where actions come from.
    private struct Witness: Plugin {
        typealias Action = AnyAction

        static let seen = Mutex<[String]>([])

        static func middleware() -> Reader {
            Reader { _ in
                AnyMiddleware { action, source, _ in
                    seen.withLock {
                        $0.append("\(action.type) \(source.file):\(source.line) \(source.info ?? "nil")")
                    }
                    return .pure()
                }
            }
        }
    }

    /// What was reported, in order.
    private final class Reports: Sendable {
        private let reports = Mutex<[String]>([])

        /// The reports as an operator reads them.
        var lines: [String] { reports.withLock { $0 } }

        /// Keeps a report as text.
        func add(_ report: HostReport) { reports.withLock { $0.append(report.description) } }
    }
}
