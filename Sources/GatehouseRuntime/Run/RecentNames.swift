// SPDX-License-Identifier: Apache-2.0

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
