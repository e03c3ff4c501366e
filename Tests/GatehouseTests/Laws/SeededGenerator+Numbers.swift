// SPDX-License-Identifier: Apache-2.0

import SeededTesting

extension SeededGenerator {
    /// A number in the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Some numbers in the range, at most `limit` of them.
    mutating func numbers(_ range: ClosedRange<Int>, upTo limit: Int) -> [Int] {
        (0..<number(0...limit)).map { _ in number(range) }
    }
}
