// SPDX-License-Identifier: Apache-2.0

/// A generator of random numbers that gives the same sequence for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Some numbers in the range, at most `limit` of them.
    mutating func numbers(_ range: ClosedRange<Int>, upTo limit: Int) -> [Int] {
        (0..<number(0...limit)).map { _ in number(range) }
    }
}
