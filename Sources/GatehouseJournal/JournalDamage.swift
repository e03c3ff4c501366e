// SPDX-License-Identifier: Apache-2.0

/// A part of a journal that cannot be read any more, because it is damaged or was removed.
package struct JournalDamage: Error, Equatable, Sendable {
    /// The ways in which a part can be damaged.
    package enum Kind: Equatable, Sendable {
        /// The batch is not there.
        case missing
        /// The batch was removed with all before it, because the journal keeps no more.
        case removed
        /// The batch is there, and is not what was written; with what is wrong, as a part of a sentence.
        case changed(String)
        /// SQLite cannot read the part of the file; with its words.
        case unreadable(String)
    }

    /// What is wrong.
    package let kind: Kind
    /// The number of the batch; of the first one of several that are missing.
    package let batch: Int64
    /// The sequences of the actions that are lost by it; nil where that cannot be told or there are none.
    package let sequences: ClosedRange<UInt64>?
}

extension JournalDamage: CustomStringConvertible {
    /// Whether it is about one action or batch.
    private var isOne: Bool { sequences?.count ?? 1 == 1 }

    /// Which actions are concerned and what is wrong, as a sentence.
    package var description: String {
        let subject =
            sequences.map {
                $0.count == 1 ? "action \($0.lowerBound)" : "actions \($0.lowerBound) to \($0.upperBound)"
            } ?? "batch \(batch)"
        return switch kind {
        case .missing: "\(subject) of the journal cannot be found"
        case .removed:
            "\(subject) of the journal \(isOne ? "was" : "were") removed meanwhile to stay within the limits; nothing is damaged"
        case .changed(let reason): "\(subject) of the journal cannot be read: \(reason)"
        case .unreadable(let words): "\(subject) of the journal cannot be read: SQLite says: \(words)"
        }
    }
}
