// SPDX-License-Identifier: Apache-2.0

extension Collection<String> {
    /// The words for a message, with "or" between the last two.
    var choice: String {
        let words = Array(self)
        guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// All words that the type takes, in quotes.
    static var choice: String { allCases.map { "\"\($0.rawValue)\"" }.choice }
}
