// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehouseSDK

/// What the host makes of a checkpoint that a worker has told, which `WorkerCheckpoint` is the worker's side of.
///
/// The thread that takes answers fills it in, `WorkerTraffic` says what follows from it, and the drain does that.
package struct TakenCheckpoint: Sendable {
    /// An action that the instance has emitted.
    package struct Output: Sendable {
        /// The number of the action that it follows from; 0 for none that is known.
        package let sequence: UInt64
        /// Whether an effect has emitted it, or the start or the end of the instance. What follows from nothing at all, such as the words
        /// of a client, is not late, and has the number 0.
        package let isLate: Bool
        /// The action, under its local type.
        package let action: AnyAction
        /// Where it was emitted.
        package let source: ActionSource

        /// An action that follows from another one.
        package init(sequence: UInt64, isLate: Bool, action: AnyAction, source: ActionSource) {
            (self.sequence, self.isLate, self.action, self.source) = (sequence, isLate, action, source)
        }
    }

    /// An effect that has begun, or begun again, or is to be recovered in another way.
    package struct BegunEffect: Sendable {
        /// The number that the worker gave it.
        package let number: UInt64
        /// The number of its action, and its place among the effects of that.
        package let sequence: UInt64, ordinal: UInt32
        /// How often it has begun in another process, from 1.
        package let attempt: UInt32
        /// What becomes of it.
        package let recovery: EffectRecovery

        /// Reads what a worker tells; what is none begins again.
        package init(_ number: UInt64, after sequence: UInt64, _ value: Value) {
            (self.number, self.sequence) = (number, sequence)
            let effect = JournalEffect(value)
            // Only what the host gives to a worker stands for all.
            ordinal = min(effect?.ordinal ?? 0, JournalEffect.all - 1)
            attempt = effect?.attempt ?? 1
            recovery = effect?.recovery ?? .again
        }
    }

    /// What the instance has emitted since the one before.
    package var outputs: [Output] = []
    /// The state, where it has changed.
    package var state: Value?
    /// What stands in the log for the actions that have come to their end; nil for those that nothing stands for but their effects.
    package var finished: [UInt64?] = []
    /// The same for those that are answered, and have effects that have not ended.
    package var answered: [UInt64] = []
    /// The effects that have begun since the one before, by growing numbers.
    package var begun: [BegunEffect] = []
    /// The numbers of those that have ended.
    package var ended: [UInt64] = []
    /// How many orders are done that the run has waited for.
    package var done = 0
    /// The number of the last action that the state contains; 0 where none was done since the one before.
    package var reached: UInt64 = 0
    /// Copies of the state, by the numbers of the orders to make them.
    package var copies: [(number: UInt64, state: Value)] = []
    /// What the instance counts itself, where that has changed.
    var account: WorkerAccount?
    /// How many effects there are.
    var effects = WorkerCounts()

    /// A checkpoint that nothing is known of.
    package init() {}

    /// Does what it says of actions: emits the outputs, and lets the log know of what is answered and finished after them, so that a
    /// journal has both or neither; called in the drain.
    ///
    /// - Parameters:
    ///   - log: has what stands for the actions; nil for none.
    ///   - emit: puts an output at the end of the queue.
    package func settle(in log: InstanceEffectLog?, emitting emit: (Output) -> Void) {
        log?.recall(self)
        outputs.forEach(emit)
        log?.settle(self)
    }
}
