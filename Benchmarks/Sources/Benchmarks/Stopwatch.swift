// SPDX-License-Identifier: Apache-2.0

/// Times repeated work.
enum Stopwatch {
    /// Nanoseconds for each repetition: the median of several rounds after a warm-up.
    static func nanoseconds(repetitions: Int, rounds: Int = 7, _ body: (Int) -> Void) -> Double {
        body(repetitions / 4 + 1)
        var results: [Double] = []
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            body(repetitions)
            let time = start.duration(to: .now)
            results.append(Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9)
        }
        return results.sorted()[rounds / 2] / Double(repetitions)
    }
}
