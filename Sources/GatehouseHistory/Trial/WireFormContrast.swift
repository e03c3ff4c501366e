// SPDX-License-Identifier: Apache-2.0

/// Looks at two wire forms that are not the same bytes, to see without parsing whether they are different values.
///
/// Both have the same beginning, so the first byte that differs is at the same place of both values. Where that is in the text of a
/// member or element, or in a whole number, the values differ. Elsewhere, as in the name of a member, only parsing can tell.
struct WireFormContrast {
    /// One of the two: valid JSON.
    let one: ArraySlice<UInt8>
    /// The other one.
    let other: ArraySlice<UInt8>

    /// The most digits of a number that surely is exact as a value.
    private static let digits = 15

    /// Whether they surely are different values; false where that is not known.
    var isSure: Bool {
        guard let place = zip(one, other).enumerated().first(where: { $1.0 != $1.1 })?.offset else {
            return false
        }
        switch token(at: place) {
        case .text:
            // An escape may stand for what the other one has as it is.
            guard byte(one, place) != UInt8(ascii: "\\"), byte(other, place) != UInt8(ascii: "\\") else {
                return false
            }
            return !isName(one, from: place) && !isName(other, from: place)
        case .escaped: return false
        case .other(let start):
            guard let number = wholeNumber(one, from: start), let another = wholeNumber(other, from: start)
            else { return false }
            return number != another
        }
    }

    /// What the same beginning ends in.
    private enum Token {
        /// In a text, as it is written.
        case text
        /// In a text after an escape, of which the place may be a part.
        case escaped
        /// In something else, which begins at a place.
        case other(start: Int)
    }

    /// Returns a byte by its place; a quotation mark past the end, where no valid text goes on.
    private func byte(_ form: ArraySlice<UInt8>, _ place: Int) -> UInt8 {
        let index = form.startIndex + place
        return index < form.endIndex ? form[index] : UInt8(ascii: "\"")
    }

    /// Returns what a place, up to which both are the same, is in.
    private func token(at place: Int) -> Token {
        var isText = false
        var (isEscaped, hasEscape) = (false, false)
        var start = 0
        for index in 0..<place {
            let byte = byte(one, index)
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    (isEscaped, hasEscape) = (true, true)
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                    start = index + 1
                }
            } else if byte == UInt8(ascii: "\"") {
                (isText, hasEscape) = (true, false)
            } else if Self.isBetweenTokens(byte) {
                start = index + 1
            }
        }
        if isText { return hasEscape ? .escaped : .text }
        return .other(start: start)
    }

    /// Whether a byte outside a text separates two tokens.
    private static func isBetweenTokens(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: " "):
            true
        default: false
        }
    }

    /// Whether the text that a place is in is the name of a member.
    private func isName(_ form: ArraySlice<UInt8>, from place: Int) -> Bool {
        var rest = form.dropFirst(place)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                _ = rest.popFirst()
            } else if byte == UInt8(ascii: "\"") {
                return rest.first == UInt8(ascii: ":") || rest.first == UInt8(ascii: " ")
            }
        }
        return true
    }

    /// Returns the whole number that begins at a place; nil for anything else, and for one that may be longer than exact.
    private func wholeNumber(_ form: ArraySlice<UInt8>, from start: Int) -> Int? {
        var rest = form.dropFirst(start)
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...Self.digits).contains(digits.count),
            let end = rest.dropFirst(digits.count).first, Self.isBetweenTokens(end)
        else { return nil }
        let number = digits.reduce(0) { 10 * $0 + Int($1 - UInt8(ascii: "0")) }
        return isNegative ? -number : number
    }
}
