// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// An action that came from outside and was accepted, before anything was done with it.
struct JournalInput: Sendable {
    /// What the action is made of.
    enum Content: Sendable {
        /// The line as it came, without its end: valid JSON, one line.
        case line([UInt8])
        /// An action that never was a line; the writer's thread encodes it.
        case action(AnyAction)
    }

    /// Its number among the inputs, from 1.
    let number: UInt64
    /// The place it came from.
    let source: ActionSource
    /// The action.
    let content: Content
    /// What its writer calls it, `meta.id`, so that it is taken once; nil when it does not say.
    let id: String?

    /// An input that came as a line.
    init(number: UInt64, source: ActionSource, line: [UInt8], id: String? = nil) {
        self.number = number
        self.source = source
        content = .line(line)
        self.id = id
    }

    /// An input that never was a line.
    init(number: UInt64, source: ActionSource, action: AnyAction, id: String? = nil) {
        self.number = number
        self.source = source
        content = .action(action)
        self.id = id
    }
}

/// An action that reached the reducers.
struct JournalEntry: Sendable {
    /// The action; nil stands for one whose line is in the batch, or for the input that the cause names, unchanged, which is not
    /// yet done.
    let action: AnyAction?
    /// How many bytes of the batch's `lines` are its wire form; 0 for an action that did not come as a line.
    var lineLength = 0
    /// Where it came from, with its cause.
    let source: ActionSource
    /// What reducers that asked for the time were told, in seconds since 1970; nil when nobody asked.
    let time: Double?
}

/// What the drain hands over at a moment of rest. Move it, do not copy it about.
struct JournalBatch: Sendable {
    /// The number of the host's generation.
    var generation: Int
    /// Inputs that were accepted and may not have been dispatched yet.
    var inputs: [JournalInput] = []
    /// The sequence of the first entry; of the next one to come where there is none.
    var firstSequence: UInt64
    /// What reached the reducers, in that order.
    var entries: [JournalEntry] = []
    /// The lines of entries that came as lines and are no inputs, one behind the other, without their ends.
    var lines: [UInt8] = []
    /// The numbers of inputs whose pass is over; they are not dispatched again after a crash.
    var done: [UInt64] = []
    /// Effects that were begun.
    var begun: [JournalEffect] = []
    /// Effects that were begun before, maybe by a process before this one, and are written anew as they are now.
    var resumed: [JournalEffect] = []
    /// The numbers of effects that have ended.
    var ended: [UInt64] = []

    /// An empty batch.
    init(generation: Int, firstSequence: UInt64) {
        self.generation = generation
        self.firstSequence = firstSequence
    }

    /// Whether there is nothing to keep.
    var isEmpty: Bool {
        inputs.isEmpty && entries.isEmpty && done.isEmpty && begun.isEmpty && resumed.isEmpty && ended.isEmpty
    }

    /// Effects as they run now, in the order in which they are to be written: of several with one number the last one counts.
    var running: [JournalEffect] { resumed.isEmpty ? begun : begun + resumed }
}
