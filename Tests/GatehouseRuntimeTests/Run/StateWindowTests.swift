// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// The host's state as instances see it that were granted it.
@Suite(.timeLimit(.minutes(10))) struct StateWindowTests {
    /// Looks at the host's state where it may and where it may not.
    private struct Peeking: Plugin {
        enum Action: PluginAction { case tick, started(seen: Int?) }

        /// The slice: what the plugin has counted.
        struct State: Codable, Sendable {
            /// The number of ticks so far.
            var ticks = 0
            /// What the reducer was given, `"nothing"` for nil.
            var inReducer: Value?
            /// What the middleware was given when it started.
            var atStart: Int?
        }

        /// Keeps the host's reader where the reducer can reach it, which no plugin should do.
        static let kept = Mutex<HostStateReader?>(nil)

        static func initialState(_ settings: NoSettings) -> State { State() }

        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
            .reduce { action, state in
                if case .started(let seen) = action { state.atStart = seen }
                state.ticks += 1
                let read = kept.withLock { $0 }
                state.inReducer = read?(.whole) ?? "nothing"
            }
        }

        static func middleware() -> Reader {
            Reader { context in
                kept.withLock { $0 = context.state }
                return AnyMiddleware(Starting(context: context))
            }
        }
    }

    /// Emits what it sees at its start.
    private struct Starting: MiddlewareProtocol {
        let context: PluginContext<NoSettings>

        func start(state: GetState<Peeking.State>) -> IO<Peeking.Action> {
            IO { output in
                let seen = context.state?(JSONPointer(tokens: ["plain"]))?.intValue
                output.dispatch(.started(seen: seen))
            }
        }

        func handle(
            action: Peeking.Action, from dispatcher: ActionSource, state: GetState<Peeking.State>
        ) -> IO<Peeking.Action> { .pure() }
    }

    @Test func `the state is seen from the start, and nothing of it in a reducer`() throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "peeking"),
            manifest: PluginManifest(
                id: "peeking", version: version, summary: "", principal: "Peeking",
                consumes: ["tick", "started"], emits: ["started"]),
            exports: PluginEntry.exports(of: Peeking.self))
        let host = Host(
            try Assembly(
                linking: [plugin], configuration: HostConfiguration(state: ["plain": 7]),
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { _ in })),
            reports: Reporter { _ in })
        host.dispatch(AnyAction("peeking/tick"), from: .here())
        #expect(
            try host.snapshot()["peeking"] == ["ticks": 2, "inReducer": "nothing", "atStart": 7])
    }
}
