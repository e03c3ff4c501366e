// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// An action that came from outside and was accepted, before anything was done with it.
package struct JournalInput: Sendable {
    /// What the action is made of.
    package enum Content: Sendable {
        /// The line as it came, without its end: valid JSON, one line.
        case line([UInt8])
        /// An action that never was a line; the writer's thread encodes it.
        case action(AnyAction)
    }

    /// Its number among the inputs, from 1.
    package let number: UInt64
    /// The place it came from.
    package let source: ActionSource
    /// The action.
    package let content: Content
    /// What its writer calls it, `meta.id`, so that it is taken once; nil when it does not say.
    package let id: String?

    /// An input that came as a line.
    package init(number: UInt64, source: ActionSource, line: [UInt8], id: String? = nil) {
        self.number = number
        self.source = source
        content = .line(line)
        self.id = id
    }

    /// An input that never was a line.
    package init(number: UInt64, source: ActionSource, action: AnyAction, id: String? = nil) {
        self.number = number
        self.source = source
        content = .action(action)
        self.id = id
    }
}

/// An action that reached the reducers.
package struct JournalEntry: Sendable {
    /// The action; nil stands for one whose line is in the batch, or for the input that the cause names, unchanged, which is not
    /// yet done.
    package let action: AnyAction?
    /// How many bytes of the batch's `lines` are its wire form; 0 for an action that did not come as a line.
    package var lineLength = 0
    /// Where it came from, with its cause.
    package let source: ActionSource
    /// What reducers that asked for the time were told, in seconds since 1970; nil when nobody asked.
    package let time: Double?

    /// An action as it reached the reducers.
    package init(action: AnyAction?, lineLength: Int = 0, source: ActionSource, time: Double?) {
        self.action = action
        self.lineLength = lineLength
        self.source = source
        self.time = time
    }
}

/// What the drain hands over at a moment of rest. Move it, do not copy it about.
package struct JournalBatch: Sendable {
    /// The number of the host's generation.
    package var generation: Int
    /// Inputs that were accepted and may not have been dispatched yet.
    package var inputs: [JournalInput] = []
    /// The sequence of the first entry; of the next one to come where there is none.
    package var firstSequence: UInt64
    /// What reached the reducers, in that order.
    package var entries: [JournalEntry] = []
    /// The lines of entries that came as lines and are no inputs, one after the other, without their ends.
    package var lines: [UInt8] = []
    /// The numbers of inputs whose pass is over; they are not dispatched again after a crash.
    package var done: [UInt64] = []
    /// Effects that were begun.
    package var begun: [JournalEffect] = []
    /// Effects that were begun before, maybe by a process before this one, and are written anew as they are now.
    package var resumed: [JournalEffect] = []
    /// The numbers of effects that have ended.
    package var ended: [UInt64] = []

    /// An empty batch.
    package init(generation: Int, firstSequence: UInt64) {
        self.generation = generation
        self.firstSequence = firstSequence
    }

    /// Whether there is nothing to keep.
    package var isEmpty: Bool {
        inputs.isEmpty && entries.isEmpty && done.isEmpty && begun.isEmpty && resumed.isEmpty && ended.isEmpty
    }

    /// Effects as they run now, in the order in which they are to be written: of several with one number the last one counts.
    package var running: [JournalEffect] { resumed.isEmpty ? begun : begun + resumed }
}
