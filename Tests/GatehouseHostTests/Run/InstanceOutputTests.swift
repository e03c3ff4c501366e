// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseHost

@Suite struct InstanceOutputTests {
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
        let desk = Reports()
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
                    report: { desk.add($0) })),
            reports: ReportDesk { desk.add($0) })
        host.dispatch(AnyAction("nameless/ask"), from: .here())
        #expect(
            desk.lines == [
                "nameless: an action that it emits cannot be written as JSON: the whole value: expected a name, found none"
            ])
        #expect(host.counts.refusedOutputs == 1)
        host.dispatch(AnyAction("nameless/ask"), from: .here())
        #expect(desk.lines.count == 2)
        #expect(host.counts.refusedOutputs == 2)
    }

    /// What was reported, in order.
    private final class Reports: Sendable {
        private let reports = Mutex<[String]>([])

        /// The reports as an operator reads them.
        var lines: [String] { reports.withLock { $0 } }

        /// Takes one.
        func add(_ report: HostReport) { reports.withLock { $0.append(report.description) } }
    }
}
