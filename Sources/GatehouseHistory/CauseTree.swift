// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal

/// Actions arranged below their causes, as far as those are among them.
package struct CauseTree {
    /// One line of the tree.
    package struct Line: Equatable, Sendable {
        /// The branches in front of the action, such as `│  └─ `; empty for a root.
        package let branches: String
        /// The action.
        package let entry: JournalRecord
    }

    /// The lines, each action after its cause.
    package let lines: [Line]

    /// Arranges actions given in order of their numbers.
    package init(_ entries: [JournalRecord]) {
        let known = Set(entries.map(\.sequence))
        var children: [UInt64: [JournalRecord]] = [:]
        var roots: [JournalRecord] = []
        for entry in entries {
            // A cause that is not before its consequence would form a cycle.
            if let cause = entry.cause.sequence, cause < entry.sequence, known.contains(cause) {
                children[cause, default: []].append(entry)
            } else {
                roots.append(entry)
            }
        }
        var lines: [Line] = []
        // An explicit stack, because a chain of causes may be as long as the past.
        var open: [(entry: JournalRecord, own: String, below: String)] = roots.reversed().map { ($0, "", "") }
        while let (entry, own, below) = open.popLast() {
            lines.append(Line(branches: own, entry: entry))
            let consequences = children[entry.sequence] ?? []
            for (index, consequence) in consequences.enumerated().reversed() {
                let isLast = index == consequences.count - 1
                open.append(
                    (consequence, below + (isLast ? "└─ " : "├─ "), below + (isLast ? "   " : "│  ")))
            }
        }
        self.lines = lines
    }
}
