// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What a turn does to the instances that run.
@Suite(.timeLimit(.minutes(10))) struct TurnTests {
    /// Looks at the host's state when it starts, and emits an action.
    private struct Starting: Plugin {
        enum Action: PluginAction { case begun }

        /// What each start saw at `/plain`.
        static let seen = Mutex<[Value?]>([])

        static func middleware() -> Reader {
            Reader { context in AnyMiddleware(Middleware(context: context)) }
        }

        struct Middleware: MiddlewareProtocol {
            let context: PluginContext<NoSettings>

            func start(state: GetState<NoState>) -> IO<Action> {
                let plain = context.state?(JSONPointer(tokens: ["plain"]))
                Starting.seen.withLock { $0.append(plain) }
                return IO { $0.dispatch(.begun) }
            }

            func handle(
                action: Action, from dispatcher: ActionSource, state: GetState<NoState>
            ) -> IO<Action> { .pure() }
        }
    }

    @Test func `a silent start tells the instances, who see the state, and drops what they emit`() throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "a"),
            manifest: PluginManifest(
                id: "starting", version: version, summary: "", principal: "Starting", consumes: ["begun"],
                emits: ["begun"]),
            exports: PluginEntry.exports(of: Starting.self))
        let host = Host(
            try Assembly(
                linking: [plugin], configuration: HostConfiguration(state: ["plain": 7]),
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { _ in })),
            starts: false, reports: Reporter { _ in })
        host.turn { $0.startSilently() }
        #expect(Starting.seen.withLock { $0 } == [7])
        #expect(host.counts.actions == 0)
        // The same start emits where it is not in the past.
        host.turn { $0.start() }
        #expect(Starting.seen.withLock { $0 } == [7, 7])
        #expect(host.counts.actions == 1)
    }
}
