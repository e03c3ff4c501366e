// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest

/// A list of names and what each is called on the other side.
package struct NameMap: Equatable, Sendable {
    /// One line of the map.
    package struct Entry: Equatable, Sendable {
        /// The name to look for, or with `*` at its end the beginning of several.
        let from: TypePattern
        /// The name on the other side; open only if `from` is, and then the rest of the name follows it.
        let to: TypePattern

        /// Creates a line.
        package init(from: TypePattern, to: TypePattern) {
            self.from = from
            self.to = to
        }
    }

    /// The lines in the order written; no two have the same `from`.
    let entries: [Entry]

    /// A map of the given lines.
    package init(_ entries: [Entry]) {
        self.entries = entries
    }

    /// The name on the other side, or nil if no line covers it.
    ///
    /// A full name wins over an open one, and of two open ones the longer stem.
    /// Linear in the number of lines: ask once per type and keep the answer.
    package func mapped(_ name: String) -> String? {
        let rank = { (entry: Entry) in (entry.from.isOpen ? 0 : 1, entry.from.stem.utf8.count) }
        let candidates = entries.filter { $0.from.admits(name) }
        guard let best = candidates.max(by: { rank($0) < rank($1) }) else { return nil }
        guard best.to.isOpen else { return best.to.stem }
        return best.to.stem + String(decoding: name.utf8.dropFirst(best.from.stem.utf8.count), as: UTF8.self)
    }
}
