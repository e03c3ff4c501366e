// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK

// How a state goes from one generation to the next without any code: what a swap made is recorded.
extension SavedState {
    /// A state in which nothing has happened, before the first generation of a journal.
    package static let empty = SavedState(
        configured: .object(Members()), plain: .object(Members()), kept: [:], entries: [:])

    /// The state with which a generation began, where this is the state that the one before left.
    package func entering(_ record: GenerationRecord) -> SavedState {
        var (plain, kept, left) = (plain, kept, entries)
        if let patch = record.change.patch { plain.merge(patch) }
        var next: [String: Entry] = [:]
        let succession = Succession(from: entries.keys, to: record.plan.entries)
        for entry in record.plan.entries {
            let library = record.plan.libraries[entry.id]
            let before = succession[entry.id].flatMap { left.removeValue(forKey: $0) }
            let made = record.change.made[entry.id]
            if made != nil {
                if before == nil, let place = kept.place(for: entry, of: library?.plugin) {
                    kept[place] = nil
                    plain.set(nil, at: place)
                }
                kept[entry.slice] = nil
            }
            next[entry.id] = Entry(
                plugin: library?.plugin ?? before?.plugin ?? entry.id, digest: library?.digest,
                pointer: entry.slice,
                state: record.change.stateless.contains(entry.id) ? nil : made ?? before?.state,
                gate: "\(entry.gate)",
                position: record.change.gates[entry.id],
                standing: library?.quarantine == nil
                    ? nil
                    : record.change.standings[entry.id] ?? before?.standing ?? Standing(at: record.after))
        }
        if let restored = record.change.restored {
            (plain, kept, left) = (restored.plain, restored.kept, [:])
        }
        for (id, entry) in left.sorted(by: { $0.key < $1.key }) {
            guard let state = entry.state, plain.set(state.value, at: entry.pointer) else { continue }
            kept[entry.pointer] = KeptSlice(
                plugin: entry.plugin, stateVersion: state.version, instance: id)
        }
        return SavedState(
            configured: record.plan.configuration.state, plain: plain, kept: kept, entries: next)
    }

    /// The whole state as one value, as somebody outside sees it.
    package var whole: Value {
        var whole = plain
        for (_, entry) in entries.sorted(by: { $0.key < $1.key }) {
            if let state = entry.state { whole.set(state.value, at: entry.pointer) }
        }
        return whole
    }
}
