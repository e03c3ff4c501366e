// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport

/// The types of input that no instance hears, as an operator is told.
package struct UnheardTypes: Equatable, Sendable {
    /// The number of types that nobody heard.
    package let count: Int
    /// Whether there were more than `count`, nobody knows how many.
    let isMore: Bool
    /// How many types there were, those that somebody hears included; nil when nobody knows.
    let total: Int?
    /// One of them, if possible one with a suggestion; nil when there was none.
    let example: String?
    /// A type that somebody hears and that was probably meant by the example.
    let suggestion: String?

    /// What the types that were seen say.
    ///
    /// - Parameter literals: the types that instances hear by their full names.
    init(_ unheard: RecentNames, heard: RecentNames, literals: [String]) {
        count = unheard.names.count
        isMore = unheard.hasForgotten
        // A type may have been heard before its hearers went.
        total =
            unheard.hasForgotten || heard.hasForgotten ? nil : Set(unheard.names + heard.names).count
        for name in unheard.names {
            guard let near = NearMiss.suggestion(for: name, among: literals) else { continue }
            (example, suggestion) = (name, near)
            return
        }
        (example, suggestion) = (unheard.names.first, nil)
    }
}

extension UnheardTypes: CustomStringConvertible {
    /// How many, one of them, and what was probably meant by it.
    package var description: String {
        guard let example else { return "no types unheard" }
        let share = (isMore ? "more than " : "") + "\(count)" + (total.map { " of \($0)" } ?? "")
        let noun = (total ?? count) == 1 ? "type" : "types"
        let name = (count == 1 ? ": " : ", such as ") + example
        return Quotation.bare(
            "\(share) \(noun) unheard\(name)" + (suggestion.map { "; did you mean \($0)?" } ?? ""))
    }
}
