// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan

/// The state of a host after an action, to be written.
package struct JournalSnapshot: Sendable {
    /// The sequence of the last action that is in it.
    package let sequence: UInt64
    /// The number of the host's generation.
    package let generation: Int
    /// Encodes the state; called once, on a thread of its own.
    package let content: @Sendable () throws -> SavedState

    /// A state that was copied in the drain.
    package init(
        sequence: UInt64, generation: Int,
        _ content: @escaping @Sendable () throws -> SavedState
    ) {
        self.sequence = sequence
        self.generation = generation
        self.content = content
    }
}

/// A snapshot as a journal gives it back, verified.
package struct StoredSnapshot: Sendable, Equatable {
    /// Its number.
    package let id: Int64
    /// The sequence of the last action that is in it.
    package let sequence: UInt64
    /// The number of the opening in which it was taken.
    package let epoch: Int
    /// The number of the host's generation in that epoch.
    package let generation: Int
    /// When it was taken, in seconds since 1970.
    package let time: Double
    /// The number of the record of the generation that had the state; 0 where none was recorded.
    package let record: Int64
    /// What it holds: the state, as it also goes from one run to the next.
    package let content: SavedState
}

/// A snapshot that cannot be used, and why.
package struct SnapshotDamage: Error, Sendable, Equatable {
    /// The sequence of the last action that should be in it.
    package let sequence: UInt64
    /// The instances whose states are damaged; empty where the whole is.
    let instances: [String]
    /// What is wrong, as a part of a sentence.
    let reason: String
}

extension SnapshotDamage: CustomStringConvertible {
    /// Which snapshot cannot be read and why, without a full stop.
    package var description: String {
        let part = instances.isEmpty ? "" : ", the state of \(instances.joined(separator: ", "))"
        return "the snapshot after action \(sequence)\(part) cannot be read: \(reason)"
    }
}
