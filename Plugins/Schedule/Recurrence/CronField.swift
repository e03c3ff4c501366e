// SPDX-License-Identifier: Apache-2.0

/// One of the five fields of a cron expression, as a set of numbers.
struct CronField: Sendable, Equatable {
    /// The subject of a field.
    struct Kind: Sendable {
        /// The name with its article, for messages.
        let name: String
        /// The allowed numbers.
        let range: ClosedRange<Int>
        /// The names for numbers, the first for the least number.
        var words: [String] = []
        /// The first number that stands for 0 again; nil for none.
        var cycle: Int?

        /// The fields of an expression, in their order.
        static let all = [
            Kind(name: "a minute", range: 0...59), Kind(name: "an hour", range: 0...23),
            Kind(name: "a day of the month", range: 1...31),
            Kind(
                name: "a month", range: 1...12,
                words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
            // Both 0 and 7 are Sunday.
            Kind(
                name: "a day of the week", range: 0...7,
                words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"], cycle: 7),
        ]
    }

    /// A bit for each number in the set.
    private let bits: UInt64
    /// Whether it begins with `*`, and so does not select days by itself.
    let isOpen: Bool

    /// Reads a list of numbers, names and ranges, each with a step if it is a range; nil for anything else.
    init?(_ text: Substring, _ kind: Kind) {
        var bits: UInt64 = 0
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "/", omittingEmptySubsequences: false)
            guard let first = parts.first, parts.count <= 2 else { return nil }
            let range: ClosedRange<Int>
            if first == "*" {
                range = kind.range
            } else {
                let ends = first.split(separator: "-", omittingEmptySubsequences: false)
                guard ends.count <= 2, ends.count == 2 || parts.count == 1,
                    let low = Self.number(ends[0], kind), let high = Self.number(ends[ends.count - 1], kind),
                    low <= high
                else { return nil }
                range = low...high
            }
            var step = 1
            if parts.count == 2 {
                guard let number = Self.number(parts[1]), number > 0 else { return nil }
                step = number
            }
            for number in stride(from: range.lowerBound, through: range.upperBound, by: step) {
                bits |= 1 << UInt64(number == kind.cycle ? 0 : number)
            }
        }
        self.bits = bits
        isOpen = text.first == "*"
    }

    /// Returns whether the set contains a number.
    func contains(_ number: Int) -> Bool { bits & (1 << UInt64(number)) != 0 }

    /// Reads a number or name within the range of the kind.
    private static func number(_ text: Substring, _ kind: Kind) -> Int? {
        if let index = kind.words.firstIndex(of: text.lowercased()) { return kind.range.lowerBound + index }
        return number(text).flatMap { kind.range.contains($0) ? $0 : nil }
    }

    /// Reads one or two digits.
    private static func number(_ text: Substring) -> Int? {
        guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
