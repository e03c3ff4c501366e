// SPDX-License-Identifier: Apache-2.0

/// Measures several things in turn, again and again, and takes the least time of each.
///
/// A machine that slows down for a while slows down all of them, and what disturbs a round is not in the least.
enum Rounds {
    /// Nanoseconds of one repetition for each of the bodies, which are told how many times to repeat.
    static func least(of bodies: [(Int) -> Void], rounds: Int = 25, nanoseconds slot: Double = 4e6)
        -> [Double]
    {
        var least = [Double](repeating: .infinity, count: bodies.count)
        let repetitions = bodies.map { body in
            body(20)
            let once = Clock.thread.time { body(20) } / 20
            return max(10, Int(slot / max(once, 1)))
        }
        for _ in 0..<rounds {
            for (index, body) in bodies.enumerated() {
                let time = Clock.thread.time { body(repetitions[index]) } / Double(repetitions[index])
                least[index] = min(least[index], time)
            }
        }
        return least
    }
}
