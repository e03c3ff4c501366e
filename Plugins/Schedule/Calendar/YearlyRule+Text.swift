// SPDX-License-Identifier: Apache-2.0

extension YearlyRule {
    /// Reads the last line of a time zone's file; nil for an invalid one.
    ///
    /// POSIX defines it, with the hours from -167 to 167 that RFC 9636 adds.
    init?(_ text: String) {
        var reader = Reader(bytes: Array(text.utf8))
        guard reader.skipName(), let standard = reader.offset() else { return nil }
        self.standard = -standard
        guard !reader.isAtEnd else {
            saving = nil
            return
        }
        guard reader.skipName() else { return nil }
        // An hour ahead, unless written otherwise.
        let offset = reader.next == UInt8(ascii: ",") ? standard - 3_600 : reader.offset()
        guard let offset, reader.skip(","), let begin = reader.change(), reader.skip(","),
            let end = reader.change(), reader.isAtEnd
        else { return nil }
        saving = Saving(offset: -offset, begin: begin, end: end)
    }

    /// Reads a line from its beginning.
    private struct Reader {
        /// The line.
        let bytes: [UInt8]
        /// The index of the next byte.
        var index = 0

        /// The next byte, nil at the end.
        var next: UInt8? { index < bytes.count ? bytes[index] : nil }
        /// Whether everything is read.
        var isAtEnd: Bool { index == bytes.count }

        /// Skips a character if it is the next one.
        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        /// Skips a name: letters, or anything in angle brackets.
        mutating func skipName() -> Bool {
            let start = index
            if skip("<") {
                while next != nil, next != UInt8(ascii: ">") { index += 1 }
                return skip(">")
            }
            while let byte = next, (byte | 32) >= UInt8(ascii: "a"), (byte | 32) <= UInt8(ascii: "z") {
                index += 1
            }
            return index > start
        }

        /// Reads a number of at most three digits.
        mutating func number() -> Int? {
            let start = index
            var number = 0
            while let byte = next, (48...57).contains(byte), index - start < 3 {
                number = number * 10 + Int(byte & 15)
                index += 1
            }
            return index > start ? number : nil
        }

        /// Reads hours, minutes and seconds with a sign, in seconds.
        mutating func offset() -> Int? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = hours * 3_600
            for unit in [60, 1] {
                guard skip(":") else { break }
                guard let count = number(), count < 60 else { return nil }
                seconds += count * unit
            }
            return isNegative ? -seconds : seconds
        }

        /// Reads a day, and a time after a slash, by default 02:00.
        mutating func change() -> Change? {
            let day: Day
            if skip("M") {
                guard let month = number(), (1...12).contains(month), skip("."), let week = number(),
                    (1...5).contains(week), skip("."), let weekday = number(), weekday <= 6
                else { return nil }
                day = .weekday(month: month, week: week, weekday: weekday)
            } else if skip("J") {
                guard let number = number(), (1...365).contains(number) else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(), number <= 365 else { return nil }
                day = .ordinal(number)
            }
            guard skip("/") else { return Change(day: day, time: 7_200) }
            return offset().map { Change(day: day, time: $0) }
        }
    }
}
