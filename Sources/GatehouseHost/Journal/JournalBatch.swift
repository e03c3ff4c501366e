// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What the drain hands over at a moment when nothing waits that is a consequence of it: one transaction, one row.
struct JournalBatch: Sendable {
    /// The number of the generation that has reduced the actions.
    var generation = 1
    /// Inputs that were accepted, and have not been dispatched before this is committed.
    var inputs: [JournalInput] = []
    /// The sequence number of the first entry.
    var firstSequence: UInt64 = 1
    /// Actions that reached the reducers, in that order.
    var entries: [JournalEntry] = []
    /// The lines of those entries that came as text, one behind the other.
    var lines: [UInt8] = []
    /// Numbers of inputs whose pass is over, with all that followed from it at once.
    var done: [UInt64] = []
    /// Effects that have begun.
    var begun: [JournalEffect] = []
    /// Numbers of effects that have ended.
    var ended: [UInt64] = []

    /// Whether there is nothing to write down.
    var isEmpty: Bool {
        inputs.isEmpty && entries.isEmpty && done.isEmpty && begun.isEmpty && ended.isEmpty
    }
}

/// One action that came from outside.
struct JournalInput: Sendable {
    /// Its number, counted from 1 for the life of the journal.
    let number: UInt64
    /// Where it came from.
    let source: ActionSource
    /// Its wire form, as it came.
    let line: [UInt8]
    /// What its writer calls it; nil where it has no name.
    let id: String?
}

/// One action that reached the reducers.
struct JournalEntry: Sendable {
    /// The action; nil for the input that the cause names, and for one whose line is in the batch.
    let action: AnyAction?
    /// How many bytes of `lines` are its wire form; 0 for none.
    let lineLength: Int
    /// Where it came from, and what led to it.
    let source: ActionSource
    /// What reducers were told that the time is, in seconds since 1970; nil when none asked.
    let time: Double?
}

/// An effect that holds a run open.
struct JournalEffect: Sendable {
    /// Its number, counted from 1 in each epoch.
    let number: UInt64
    /// The id of the instance that has started it.
    let instance: String
    /// The action that it follows from; 0 for none.
    let sequence: UInt64
    /// What the instance was told that it is called.
    let key: String
}
