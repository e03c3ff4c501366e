// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What the host's side of a worker does in the drain.
@Suite(.timeLimit(.minutes(10))) struct WorkerLinkTests {
    /// Does nothing.
    private struct Idle: Plugin {
        enum Action: PluginAction { case nothing }
        static func middleware() -> Reader { .doNothing() }
    }

    /// A host with an instance to connect a link to.
    private func host() throws -> Host {
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "a"),
            manifest: PluginManifest(
                id: "idle", version: try #require(SemanticVersion("1.0.0")), summary: "", principal: "Idle",
                consumes: [], emits: []),
            exports: PluginEntry.exports(of: Idle.self))
        let assembly = try Assembly(
            linking: [plugin],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { Issue.record("\($0)") }))
        return Host(assembly, reports: Reporter { Issue.record("\($0)") })
    }

    @Test func `whoever takes over has the last state, however many checkpoints wait for the drain`() throws {
        let host = try host()
        let group = WorkerGroup(["a"], patience: .seconds(1), rules: SuperviseConfiguration()) { _ in
            throw WorkerFailure(reasons: [])
        }
        let link = group.links[0]
        defer { link.end() }
        try host.turn { _ throws in
            link.connect(to: host.store, as: host.generation.instances[0])
            for count in 1...3 {
                var checkpoint = TakenCheckpoint()
                checkpoint.state = ["count": Value(count)]
                try link.keep(&checkpoint, after: 0, [], [])
            }
            #expect(link.box.value == .null)
            let handed = link.hand()
            #expect(handed.unreduced.isEmpty)
            #expect(handed.standing == nil)
            #expect(link.isOut)
            #expect(link.box.value == ["count": 3])
        }
    }

    @Test func `once others have taken over, nothing is left out that they have`() throws {
        let host = try host()
        let group = WorkerGroup(["a"], patience: .seconds(1), rules: SuperviseConfiguration()) { _ in
            throw WorkerFailure(reasons: [])
        }
        let link = group.links[0]
        defer { link.end() }
        host.turn { _ in
            link.connect(to: host.store, as: host.generation.instances[0])
            link.hear(AnyAction("nothing"), from: .here())
            #expect(link.hand().unreduced.map(\.action.type) == ["nothing"])
        }
        link.leaveOut(effectsOf: 0)
        #expect(host.store.dependencies.letters.list().isEmpty)
    }
}
