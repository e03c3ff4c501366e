// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting

/// A source of values and texts that repeats itself for the same seed.
struct Generator: RandomNumberGenerator {
    /// The numbers behind the values.
    private var numbers: SeededGenerator

    /// Starts the sequence of numbers that belongs to the seed.
    init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 { numbers.next() }

    /// One of the choices, which must not be empty.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[Int(next() % UInt64(choices.count))] }

    /// Up to 20 scalars, among them all that JSON has rules for.
    mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "b", "Z", "0", " ", "\"", "\\", "/", "~", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "é",
            "\u{301}", "e", "\u{2028}", "€", "\u{FFFF}", "🚪", "\u{10FFFF}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int(next() % 21) { text.append(pick(scalars)) }
        return String(text)
    }

    /// A value whose containers are at most `depth` deep.
    mutating func value(depth: Int = 4) -> Value {
        switch next() % (depth > 0 ? 10 : 8) {
        case 0: return .null
        case 1: return .bool(next() % 2 == 0)
        case 2: return Value(Int64(bitPattern: next()) >> Int64(next() % 64))
        case 3: return Value(next())
        case 4:
            let double = Double(bitPattern: next())
            return .double(double.isFinite ? double : 0.5)
        case 5: return .double(Double(Int(next() % 2_000_000)) / pick([1, 8, 10, 1000]))
        case 6:
            return .bigNumber(pick(["18446744073709551616", "-9223372036854775809", "1e400", "-2.5E+999"]))
        case 7: return .string(text())
        case 8:
            var elements: [Value] = []
            for _ in 0..<Int(next() % 6) { elements.append(value(depth: depth - 1)) }
            return .array(elements)
        default:
            var members = Members()
            for _ in 0..<Int(next() % pick([4, 6, 40])) { members[text()] = value(depth: depth - 1) }
            return .object(members)
        }
    }
}
