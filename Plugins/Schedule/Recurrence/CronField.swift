// SPDX-License-Identifier: Apache-2.0

/// One of the five fields of a cron expression, as a set of numbers.
struct CronField: Sendable, Equatable {
    /// The subject of a field.
    enum Kind: CaseIterable, Sendable {
        /// 0 to 59.
        case minute
        /// 0 to 23.
        case hour
        /// 1 to 31.
        case dayOfMonth
        /// 1 to 12, or a name.
        case month
        /// 0 to 7, both for Sunday, or a name.
        case dayOfWeek

        /// The allowed numbers; 7 is another 0 for Sunday.
        var range: ClosedRange<Int> {
            switch self {
            case .minute: 0...59
            case .hour: 0...23
            case .dayOfMonth: 1...31
            case .month: 1...12
            case .dayOfWeek: 0...7
            }
        }

        /// The name with its article, for messages.
        var name: String {
            switch self {
            case .minute: "a minute"
            case .hour: "an hour"
            case .dayOfMonth: "a day of the month"
            case .month: "a month"
            case .dayOfWeek: "a day of the week"
            }
        }

        /// The names for numbers, the first for the least number.
        fileprivate var words: [Substring] {
            switch self {
            case .month:
                ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
            case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
            default: []
            }
        }
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
                range = kind == .dayOfWeek ? 0...6 : kind.range
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
                bits |= 1 << UInt64(kind == .dayOfWeek ? number % 7 : number)
            }
        }
        self.bits = bits
        isOpen = text.first == "*"
    }

    /// Returns whether the set contains a number.
    func contains(_ number: Int) -> Bool { bits & (1 << UInt64(number)) != 0 }

    /// Reads a number or name within the range of the kind.
    private static func number(_ text: Substring, _ kind: Kind) -> Int? {
        if let index = kind.words.firstIndex(of: text.lowercased()[...]) {
            return index + (kind == .month ? 1 : 0)
        }
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
