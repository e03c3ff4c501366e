// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The state of a host behind an action, to be written.
struct JournalSnapshot: Sendable {
    /// The sequence of the last action that is in it.
    let sequence: UInt64
    /// The number of the host's generation.
    let generation: Int
    /// Encodes the state; called once, on a thread of its own.
    let content: @Sendable () throws(CodingFailure) -> SnapshotContent

    /// A state that was copied in the drain.
    init(
        sequence: UInt64, generation: Int,
        _ content: @escaping @Sendable () throws(CodingFailure) -> SnapshotContent
    ) {
        self.sequence = sequence
        self.generation = generation
        self.content = content
    }
}

/// What a snapshot holds.
struct SnapshotContent: Sendable, Equatable {
    /// The state, as it also goes from one run to the next.
    let saved: SavedState

    /// Takes over a state.
    init(_ saved: SavedState) { self.saved = saved }
}

/// A snapshot as a journal gives it back, verified.
struct StoredSnapshot: Sendable, Equatable {
    /// Its number.
    let id: Int64
    /// The sequence of the last action that is in it.
    let sequence: UInt64
    /// The number of the opening in which it was taken.
    let epoch: Int
    /// The number of the host's generation in that epoch.
    let generation: Int
    /// When it was taken, in seconds since 1970.
    let time: Double
    /// The first batch of which it does not know which effects were begun and ended.
    let batch: Int64
    /// The number of the record of the generation that had the state; 0 where none was recorded.
    let record: Int64
    /// The effects that were running.
    let effects: [JournalEffect]
    /// What it holds.
    let content: SnapshotContent
}

/// A snapshot that cannot be used, and why.
struct SnapshotDamage: Error, Sendable, Equatable {
    /// The sequence of the last action that should be in it.
    let sequence: UInt64
    /// The instances whose states are damaged; empty where the whole is.
    let instances: [String]
    /// What is wrong, as a part of a sentence.
    let reason: String
}

extension SnapshotDamage: CustomStringConvertible {
    /// Which snapshot cannot be read and why, without a full stop.
    var description: String {
        let part = instances.isEmpty ? "" : ", the state of \(instances.joined(separator: ", "))"
        return "the snapshot after action \(sequence)\(part) cannot be read: \(reason)"
    }
}
