// SPDX-License-Identifier: Apache-2.0

/// Who takes over from whom when one plan follows another: each entry from the one of its id, or else from the one that it says it
/// was.
///
/// The same rule counts at a reload, at a start, and on the way over the journal.
package struct Succession {
    /// The id in the plan before, by the id in the one that follows.
    private let predecessors: [String: String]

    /// - Parameters:
    ///   - ids: the ids of the plan before.
    ///   - entries: the entries of the plan that follows, in its order; of several that say they were the same, the first one is it.
    package init(from ids: some Sequence<String>, to entries: some Collection<InstanceConfiguration>) {
        var free = Set(ids)
        var predecessors: [String: String] = [:]
        for entry in entries where free.remove(entry.id) != nil { predecessors[entry.id] = entry.id }
        for entry in entries where predecessors[entry.id] == nil {
            guard let was = entry.was, free.remove(was) != nil else { continue }
            predecessors[entry.id] = was
        }
        self.predecessors = predecessors
    }

    /// From whom the entry of an id takes over; nil for one that begins anew.
    package subscript(id: String) -> String? { predecessors[id] }
}
