// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// The action types that a host has seen, by all its generations; touched in the drain.
package final class SeenTypes {
    /// Types that an instance hears, or the host itself, as they were seen first.
    var heard = RecentNames()
    /// Types of input that nobody hears.
    var unheard = RecentNames()

    /// A memory in which no type was seen so far.
    init() {}

    /// The types of input that nobody hears, so far.
    ///
    /// - Parameter links: the chain, whose literal names may have been meant.
    func unheardTypes(among links: [ChainLink]) -> UnheardTypes {
        let literals = links.flatMap(\.names.heard).filter { !$0.global.isOpen }.map(\.global.stem)
        return UnheardTypes(
            unheard, heard: heard,
            literals: literals + links.flatMap(\.controls) + HostActions.all.map(\.name))
    }
}

/// The types of input that no instance hears, as an operator is told.
package struct UnheardTypes: Equatable, Sendable, CustomStringConvertible {
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

/// The different names of a kind that came last, and whether there were more: bounded, whatever input brings.
struct RecentNames {
    /// So many names are kept.
    static let capacity = 256
    /// So many bytes are kept of a name; longer ones that begin alike count as one.
    private static let longest = 128

    /// The names, in the order in which they came until the first one made room.
    private(set) var names: [String] = []
    /// The same, to be found.
    private var known: Set<String> = []
    /// The place of the name that makes room next.
    private var oldest = 0
    /// Whether a name has made room: then nobody knows how many there have been.
    private(set) var hasForgotten = false

    /// A memory that knows no names.
    init() {}

    /// Takes note of a name.
    mutating func note(_ name: String) {
        let name =
            name.utf8.count <= Self.longest
            ? name : String(decoding: name.utf8.prefix(Self.longest), as: UTF8.self)
        guard known.insert(name).inserted else { return }
        guard names.count == Self.capacity else { return names.append(name) }
        known.remove(names[oldest])
        names[oldest] = name
        oldest = (oldest + 1) % Self.capacity
        hasForgotten = true
    }
}
