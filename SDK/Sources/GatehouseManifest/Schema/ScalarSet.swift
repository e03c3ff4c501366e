// SPDX-License-Identifier: Apache-2.0

/// The characters that one place of a pattern matches, as ranges of Unicode scalars.
struct ScalarSet: Equatable, Sendable {
    /// The ranges; they may overlap.
    private(set) var ranges: [ClosedRange<UInt32>]
    /// Whether the set contains everything outside the ranges.
    var isNegated = false

    /// Creates the set of all characters in the given ranges.
    init(_ ranges: ClosedRange<UInt32>...) { self.ranges = ranges }

    /// Creates the set of one character.
    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    /// Adds all characters of another set.
    mutating func formUnion(_ other: ScalarSet) {
        guard other.isNegated else { return ranges += other.ranges }
        var start: UInt32 = 0
        for range in other.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > start { ranges.append(start...range.lowerBound - 1) }
            start = max(start, range.upperBound + 1)
        }
        if start <= Self.last { ranges.append(start...Self.last) }
    }

    /// Returns whether the set contains a character. Linear in the number of ranges.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isNegated
    }

    /// The last Unicode scalar.
    private static let last: UInt32 = 0x10FFFF

    /// The digits 0 to 9 of ASCII.
    static let digits = ScalarSet(0x30...0x39)
    /// ASCII letters, digits and `_`.
    static let wordCharacters = ScalarSet(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
    /// Blanks and line ends.
    static let spaces = ScalarSet(
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF)
    /// Everything but line ends: the meaning of `.`.
    static let anyInLine = ScalarSet(0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029).inverted

    /// The set of all characters that are not in this one.
    var inverted: ScalarSet {
        var set = self
        set.isNegated.toggle()
        return set
    }
}
