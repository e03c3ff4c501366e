// SPDX-License-Identifier: Apache-2.0

/// How long single dispatches take, each with two looks at the clock.
enum LatencyBenchmark {
    private static let samples = 500_000

    static func rows() throws -> [Row] {
        let dispatch = try DispatchScenario.loaded.make()
        dispatch(samples / 10)
        return rows("loaded", measure { dispatch(1) }) + rows("the clock alone", measure {})
    }

    private static func measure(_ body: () -> Void) -> [Double] {
        var times = [Double](repeating: 0, count: samples)
        for index in times.indices { times[index] = Clock.wall.time(body) }
        return times.sorted()
    }

    private static func rows(_ name: String, _ times: [Double]) -> [Row] {
        [("p50", 0.5), ("p99", 0.99), ("p999", 0.999)].map { label, part in
            Row(
                "latency of one dispatch", "\(name), \(label)", times[Int(Double(times.count) * part)],
                "ns wall")
        }
    }
}
