// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What follows from an action that an instance applies to its own state, and what reducers know of time.
@Suite(.timeLimit(.minutes(10))) final class OwnActionTests: Sendable {
    /// Applies `opened`, and stops what made it do so.
    private struct Door: InterceptingPlugin, TimedPlugin {
        enum Action: PluginAction { case knock, opened }
        struct State: Codable, Sendable {
            var isOpen = false
            var times: [Double?] = []
        }

        static func initialState(_ settings: Settings) -> State { State() }

        static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State> {
            .reduce { action, state in
                if case .opened = action { state.isOpen = true }
                state.times += [now(), now()]
            }
        }

        static func middleware() -> Reader { .doNothing() }

        static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
            AnyInterceptor { action, _, state, _, next in
                if case .knock = action { state.apply(.opened) } else { next() }
            }
        }
    }

    /// Logs how its gate moves.
    private struct Room: Plugin {
        enum Action: PluginAction { case enter }

        static func middleware() -> Reader {
            Reader { context in AnyMiddleware(Listener(log: context.log)) }
        }

        private struct Listener: MiddlewareProtocol {
            let log: PluginLog
            func handle(action: Action, from dispatcher: ActionSource, state: GetState<State>) -> IO<Action> {
                .pure()
            }
            func gateChanged(to gate: GateState) { log("gate \(gate)") }
        }
    }

    private let time = Mutex(0.0)
    private let reports = Mutex<[String]>([])
    private let actions = Mutex<[String]>([])

    /// A host of a door and a room that is open while the door is; each look at the clock is a second later than the last.
    private func host(granting dependencies: [String]? = nil) throws -> Host {
        let reporter = Reporter { report in self.reports.withLock { $0.append(report.description) } }
        let linked = {
            (entry: InstanceConfiguration, exports: PluginExports, consumes: [String], rights: [String]) in
            LinkedPlugin(
                entry: entry,
                manifest: PluginManifest(
                    id: entry.id, version: try #require(SemanticVersion("1.0.0")), summary: "",
                    principal: "P",
                    consumes: consumes, permissions: rights), exports: exports)
        }
        let assembly = try Assembly(
            linking: [
                linked(
                    InstanceConfiguration(id: "door", lift: LiftConfiguration(dependencies: dependencies)),
                    PluginEntry.exports(of: Door.self), ["knock", "opened"], ["intercept"]),
                linked(
                    InstanceConfiguration(
                        id: "copy",
                        lift: LiftConfiguration(input: .prefix("door/"), dependencies: dependencies)),
                    PluginEntry.exports(of: Door.self), ["opened"], ["intercept"]),
                linked(
                    InstanceConfiguration(id: "room", gate: .state(try JSONPointer("/door/isOpen"))),
                    PluginEntry.exports(of: Room.self), ["enter"], []),
            ],
            dependencies: HostDependencies(
                clock: HostClock(
                    clock: ContinuousClock(),
                    unixTime: {
                        self.time.withLock { time in
                            time += 1
                            return time
                        }
                    }), dataDirectory: nil, report: { reporter.send($0) }))
        return Host(assembly, reports: reporter) { action in
            self.actions.withLock { $0.append(action.action.type.name) }
        }
    }

    @Test func `gates that follow the state move with it, also when the action in hand is stopped`() throws {
        let host = try host()
        host.dispatch(AnyAction("door/knock"), from: .here())
        #expect(reports.withLock { $0 } == ["room: gate active"])
        #expect(actions.withLock { $0 } == ["door/opened"])
        #expect(try host.snapshot()["copy"] == ["isOpen": false, "times": []])
        #expect(host.counts.stoppedActions == 1)
    }

    @Test func `all who ask about one action are told the same time, and a later one about the next`() throws
    {
        let host = try host()
        for _ in 0..<2 { host.dispatch(AnyAction("door/opened"), from: .here()) }
        let seen: Value = ["isOpen": true, "times": [1, 1, 2, 2]]
        #expect(try host.snapshot()["door"] == seen)
        #expect(try host.snapshot()["copy"] == seen)
    }

    @Test func `whoever is not granted a clock has no time`() throws {
        let host = try host(granting: [])
        host.dispatch(AnyAction("door/opened"), from: .here())
        #expect(try host.snapshot()["door"]?["times"] == [nil, nil])
        #expect(time.withLock { $0 } == 0)
    }
}
