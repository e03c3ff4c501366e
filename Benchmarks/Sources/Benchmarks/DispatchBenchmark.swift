// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Time of one dispatch: what the way costs, and what does not depend on how much is installed.
enum DispatchBenchmark {
    private static let sizes = [1, 10, 100, 1_000, 10_000]

    static func rows() throws -> [Row] {
        let scenarios = DispatchScenario.all
        let bodies =
            [closureCalls()] + (try scenarios.map { try $0.make() })
            + (try sizes.dropFirst().map { try DispatchScenario.installed($0).make() }) + sizes.map(linear)
        let times = Rounds.least(of: bodies)
        let closure = times[0]
        let dispatches = Dictionary(uniqueKeysWithValues: zip(scenarios.map(\.name), times.dropFirst()))
        let loaded = dispatches[DispatchScenario.loaded.name] ?? .nan
        var rows = [Row("dispatch", "a closure call", closure, "ns")]
        for (scenario, time) in zip(scenarios, times.dropFirst()) {
            let ratios = [
                Row.Ratio(times: time / closure, of: "a closure call"),
                Row.Ratio(times: time / loaded, of: "loaded"),
            ]
            rows.append(Row("dispatch", scenario.name, time, "ns", ratios: ratios))
        }
        rows += further(dispatches, loaded)
        let installed = [loaded] + times.dropFirst(1 + scenarios.count).prefix(sizes.count - 1)
        for (size, (ours, linear)) in zip(sizes, zip(installed, times.suffix(sizes.count))) {
            let group = "installed, one listens"
            rows += [
                Row(
                    group, "\(size)", ours, "ns",
                    ratios: [Row.Ratio(times: ours / loaded, of: "1 installed")]),
                Row(
                    group, "\(size) in a linear composition", linear, "ns",
                    ratios: [Row.Ratio(times: linear / ours, of: "this host")]),
            ]
        }
        return rows
    }

    // MARK: - Implementation details

    /// What each instance after the first costs.
    private static func further(_ dispatches: [String: Double], _ loaded: Double) -> [Row] {
        [("8 interested", "loaded"), ("8 interested, with reducers", "typed reducer, no payload")].compactMap
        {
            guard let eight = dispatches[$0], let one = dispatches[$1] else { return nil }
            let each = (eight - one) / 7
            return Row(
                "dispatch", "each further of " + $0, each, "ns",
                ratios: [Row.Ratio(times: each / loaded, of: "loaded")])
        }
    }

    /// Something the optimiser cannot look through.
    private final class Counter {
        private var count: UInt64 = 0

        @inline(never)
        func add(_ action: AnyAction) { count &+= action.type.id }
    }

    /// The least that calling somebody can cost.
    private static func closureCalls() -> (Int) -> Void {
        let counter = Counter()
        let call: (AnyAction, ActionSource) -> Void = { action, _ in counter.add(action) }
        let action = AnyAction("i0/ping")
        let source = ActionSource.here()
        return { repetitions in repeatedly(repetitions, call, action, source) }
    }

    @inline(never)
    private static func repeatedly(
        _ repetitions: Int, _ call: (AnyAction, ActionSource) -> Void, _ action: AnyAction,
        _ source: ActionSource
    ) {
        for _ in 0..<repetitions { call(action, source) }
    }

    /// Dispatches into a composition of `count` that offers each action to everybody.
    private static func linear(_ count: Int) -> (Int) -> Void {
        let store = LinearStore(count: count)
        let source = ActionSource.here()
        return { repetitions in
            for _ in 0..<repetitions {
                store.dispatch(DispatchedAction(.child(0, .ping), dispatcher: source))
            }
        }
    }
}
