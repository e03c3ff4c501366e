// SPDX-License-Identifier: Apache-2.0

/// Takes note of effects that are running, for who must know after a crash which of them have not finished, and whose code it was.
public protocol EffectLog: AnyObject, Sendable {
    /// An effect is to begin; called in the drain, in the pass of the action that starts it, where there is one.
    ///
    /// - Parameters:
    ///   - recovery: what the effect says about an end that is not its own; nil where it says nothing.
    ///   - whole: the effect that this one is a part of, which ends for the log when its parts have; nil for none.
    /// - Returns: a number that names the effect until it is settled; nil for one that is not to begin, because it ended before its
    ///   action was shown once more.
    func begin(_ kind: Activity.Kind, _ recovery: EffectRecovery?, within whole: UInt64?) -> UInt64?

    /// Work of the effect with this number begins in the current task; called in that task.
    func beginWork(_ number: UInt64)

    /// The effect with this number does nothing any more, because it has finished or was cancelled; called on any thread, once.
    func end(_ number: UInt64, isCancelled: Bool)

    /// What the effect with this number has sent so far is processed, and it goes on in the background; called in the drain, at most
    /// once.
    func continueInBackground(_ number: UInt64)

    /// What the effect with this number has sent before its end is processed, with all that followed; called in the drain, once.
    ///
    /// - Parameter isLeft: whether it leaves its work to whoever begins it next.
    func settle(_ number: UInt64, isLeft: Bool)

    /// Whether somebody begins what has not ended; called on any thread.
    func isKept(_ number: UInt64) -> Bool
}

/// What becomes of an effect that ends before it has done its work: because the process dies, or because its instance is replaced,
/// stopped, or released from quarantine.
///
/// An effect that is cancelled by a token, by its plugin or by a gate has ended for good.
public enum EffectRecovery: String, Sendable, CaseIterable {
    /// Its action is shown to the middleware of its instance once more, which begins it again under the same key.
    case again
    /// The host says so by the action `host/effect/interrupted`.
    case tell
    /// Nothing: something else begins it when it is wanted.
    case forget
}
