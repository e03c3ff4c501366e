// SPDX-License-Identifier: Apache-2.0

/// A regular expression of the kind that JSON Schema recommends: no captures, no look-around, no back references.
///
/// Literals, `.`, `[…]`, `(…)`, `(?:…)`, `|`, `*`, `+`, `?`, `{m,n}`, `^`, `$`, and the escapes `\d \w \s \D \W \S
/// \t \n \v \f \r \0 \xHH \uHHHH` and of punctuation. Works on Unicode scalars. It is searched for, not anchored.
public struct TextPattern: Equatable, Sendable {
    /// The pattern as written.
    public let text: String
    /// The steps of a search, from the first to `match`.
    let steps: [Step]

    /// One step of a search.
    enum Step: Equatable, Sendable {
        /// Takes one character and continues.
        case take(ScalarSet)
        /// Continues in two places.
        case split(Int, Int)
        /// Continues with the step of this number.
        case jump(Int)
        /// Continues at the beginning of the text only.
        case begin
        /// Continues at the end of the text only.
        case end
        /// Ends the search: the text matches.
        case match
    }

    /// Reads a regular expression, or throws its error.
    public init(_ text: String) throws(TextPatternError) {
        self.text = text
        var parser = TextPatternParser(text)
        var builder = TextPatternBuilder()
        try builder.add(parser.parse())
        steps = builder.steps + [.match]
    }

    /// Returns whether the pattern occurs anywhere in a text.
    ///
    /// - Complexity: the length of the text times the length of the pattern, whatever both are.
    public func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var current: [Int] = []
        for index in 0...scalars.count {
            var reached = [Bool](repeating: false, count: steps.count)
            var places: [Int] = []
            for place in current + [0] {
                if follow(place, index: index, count: scalars.count, &reached, &places) { return true }
            }
            guard index < scalars.count else { break }
            current = places.compactMap { place in
                if case .take(let set) = steps[place], set.contains(scalars[index]) { place + 1 } else { nil }
            }
        }
        return false
    }

    /// Collects the steps that take a character and are reachable without taking one; true if the match is.
    private func follow(
        _ start: Int, index: Int, count: Int, _ reached: inout [Bool], _ places: inout [Int]
    ) -> Bool {
        var waiting = [start]
        while let place = waiting.popLast() {
            guard !reached[place] else { continue }
            reached[place] = true
            switch steps[place] {
            case .take: places.append(place)
            case .split(let first, let second): waiting += [second, first]
            case .jump(let target): waiting.append(target)
            case .begin: if index == 0 { waiting.append(place + 1) }
            case .end: if index == count { waiting.append(place + 1) }
            case .match: return true
            }
        }
        return false
    }
}
