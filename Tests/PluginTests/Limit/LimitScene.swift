// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Synchronization

@testable import LimitPlugin

/// A limit in a store of its own, whose reducer tells what gets there.
final class LimitScene {
    /// What got there and what was logged; written in the drain.
    private final class Record: Sendable {
        let passed = Mutex<[AnyAction]>([])
        let lines = Mutex<[String]>([])
        let count = Mutex(0)
    }

    /// The time, which stands still until `advance`.
    let clock = ManualClock()
    /// What the limit tells about itself.
    let status = PluginStatus()
    /// Runs the effects.
    private let executor = TestExecutor()
    /// What got there.
    private let record = Record()
    /// The store with the limit in it.
    private let store: Store<AnyAction, Limit.State>

    /// A limit with these settings, the time beginning at 1,000,000,000 s, with a clock unless it is not granted.
    init(_ settings: Value, state: Limit.State? = nil, hasClock: Bool = true) throws {
        var merged = try Value(encoding: Limit.Settings())
        merged.merge(settings)
        let settings = try merged.decode(Limit.Settings.self)
        let (record, clock, status) = (record, clock, status)
        let context = Limit.Context(
            settings: settings,
            services: HostServices(
                instance: "test", log: PluginLog { _, line in record.lines.withLock { $0.append(line) } },
                clock: hasClock
                    ? HostClock(clock: clock) { 1_000_000_000 + clock.now.offset / .seconds(1) } : nil,
                dataDirectory: nil, status: status))
        let reducer = Limit.reducer(settings)
        store = Store(
            StoreParts(
                initialState: state ?? Limit.initialState(settings),
                reducer: Reducer { action, state in
                    record.passed.withLock { $0.append(action) }
                    if !OwnAction.all.contains(action.type) { record.count.withLock { $0 += 1 } }
                    return reducer.apply(action, &state)
                },
                middleware: Limit.middleware().inject(context), interceptors: [Limit.interceptor(context)]),
            effects: .preferring(executor))
    }

    /// Sends an action, and says whether it or another one of a type that is not the plugin's own got to the reducer.
    @discardableResult
    func send(_ type: ActionType, _ payload: Value? = nil, meta: Value? = nil) -> Bool {
        let before = record.count.withLock { $0 }
        store.dispatch(
            DispatchedAction(
                AnyAction(type, payload: payload, meta: meta),
                dispatcher: ActionSource(file: "input", function: "", line: 7, info: nil)))
        executor.runAll()
        return record.count.withLock { $0 } > before
    }

    /// Moves the clock from deadline to deadline.
    func advance(by duration: Duration) {
        executor.runAll()
        let target = clock.now.advanced(by: duration)
        while let next = clock.nextDeadline, next <= target {
            clock.advance(by: clock.now.duration(to: next))
            executor.runAll()
        }
        clock.advance(by: clock.now.duration(to: target))
    }

    /// Asks the run to end.
    func stop() {
        store.stop()
        executor.runAll()
    }

    /// What got to the reducer, the plugin's own actions apart.
    var passed: [Value] {
        record.passed.withLock { $0.filter { !OwnAction.all.contains($0.type) } }.map {
            $0.payload ?? .string($0.type.name)
        }
    }

    /// The types of the plugin's own actions that got there.
    var own: [ActionType] {
        record.passed.withLock { $0.map(\.type).filter { OwnAction.all.contains($0) } }
    }

    /// The payloads of the actions that told what was stopped.
    var told: [Value] {
        record.passed.withLock { $0.filter { $0.type == OwnAction.stopped } }.map { $0.payload ?? .null }
    }

    /// The lines for the operator.
    var lines: [String] { record.lines.withLock { $0 } }

    /// The state between two actions.
    var state: Limit.State { store.withState { $0 } }
}
