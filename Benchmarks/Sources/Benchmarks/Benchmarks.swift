// SPDX-License-Identifier: Apache-2.0

import GatehouseHost
import GatehouseSDK

/// Nanoseconds for each dispatch, in one run on one machine: compare the columns, not runs.
@main
enum Benchmarks {
    static func main() throws {
        if CommandLine.arguments.contains("profile") { return try profile() }
        if CommandLine.arguments.contains("profile-linear") { return profileLinear() }
        print("ns per dispatch, one instance listens and emits nothing")
        print("effect: the listener answers with an effect after the reducers; all others answer at once")
        print("installed      closure   linear   loaded   linked   effect   linear/loaded")
        for count in [1, 10, 100, 1_000, 10_000] {
            let loaded = try Installations.loaded(count: count)
            let linked = try Installations.linked(count: count)
            let effect = try Installations.loaded(count: count, answersWithEffect: true)
            let linear = LinearStore(count: count)
            let source = ActionSource.here()
            let closure = ping(bareClosure())
            let linearTime = Stopwatch.nanoseconds(repetitions: max(20, 2_000_000 / count)) { repetitions in
                for _ in 0..<repetitions {
                    linear.dispatch(DispatchedAction(.child(0, .ping), dispatcher: source))
                }
            }
            let loadedTime = ping { loaded.dispatch($0, from: $1) }
            let linkedTime = ping { linked.dispatch($0, from: $1) }
            let effectTime = ping { effect.dispatch($0, from: $1) }
            print(
                column(count, 9), column(closure, 11), column(linearTime, 8), column(loadedTime, 8),
                column(linkedTime, 8), column(effectTime, 8), column(linearTime / loadedTime, 15))
        }
    }

    /// 20,000 dispatches into a loaded library and nothing else, for a profiler that counts instructions.
    private static func profile() throws {
        let host =
            CommandLine.arguments.contains("linked")
            ? try Installations.linked(count: 1) : try Installations.loaded(count: 1)
        let action = AnyAction("i0/ping")
        let source = ActionSource.here()
        let count = CommandLine.arguments.contains("long") ? 5_000_000 : 20_000
        for _ in 0..<count { host.dispatch(action, from: source) }
    }

    /// 20,000 dispatches into a linear composition of one, for a profiler that counts instructions.
    private static func profileLinear() {
        let linear = LinearStore(count: 1)
        let source = ActionSource.here()
        for _ in 0..<20_000 { linear.dispatch(DispatchedAction(.child(0, .ping), dispatcher: source)) }
    }

    /// Something the optimiser cannot look through.
    private final class Counter {
        private var count: UInt64 = 0

        @inline(never)
        func add(_ action: AnyAction) { count &+= action.type.id }
    }

    /// The least that calling somebody can cost.
    private static func bareClosure() -> (AnyAction, ActionSource) -> Void {
        let counter = Counter()
        return { action, _ in counter.add(action) }
    }

    /// Times one dispatch of the action that the first instance listens to.
    private static func ping(_ dispatch: @escaping (AnyAction, ActionSource) -> Void) -> Double {
        let action = AnyAction("i0/ping")
        let source = ActionSource.here()
        return Stopwatch.nanoseconds(repetitions: 1_000_000) { repetitions in
            for _ in 0..<repetitions { dispatch(action, source) }
        }
    }

    private static func column(_ number: Double, _ width: Int) -> String {
        column(Int((number * 10).rounded()), width, tenths: true)
    }

    private static func column(_ number: Int, _ width: Int, tenths: Bool = false) -> String {
        let text = tenths ? "\(number / 10).\(number % 10)" : "\(number)"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
