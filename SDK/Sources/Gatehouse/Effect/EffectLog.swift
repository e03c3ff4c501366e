// SPDX-License-Identifier: Apache-2.0

/// Records running effects, so that after a crash it is known which have not finished, and whose code it was.
public protocol EffectLog: AnyObject, Sendable {
    /// Records an effect that is about to begin; called in the drain, in the pass of the action that starts it, if there is
    /// one.
    ///
    /// - Parameters:
    ///   - recovery: what to do if the effect does not end by itself; nil for the default.
    ///   - whole: the effect that this one is a part of, which ends for the log when its parts have; nil for none.
    /// - Returns: a number that names the effect until it is settled; nil if it must not begin, because it ended before its
    ///   action was shown once more.
    func begin(_ kind: Activity.Kind, _ recovery: EffectRecovery?, within whole: UInt64?) -> UInt64?

    /// Records that work of the effect with this number begins in the current task; called in that task.
    func beginWork(_ number: UInt64)

    /// Records that the effect with this number has finished or was cancelled; called on any thread, once.
    func end(_ number: UInt64, isCancelled: Bool)

    /// Records that all previous actions of the effect with this number are processed and that it continues in the
    /// background.
    ///
    /// Called in the drain, at most once.
    func continueInBackground(_ number: UInt64)

    /// Records that all actions of the effect with this number, and all that followed, are processed; called in the drain,
    /// once.
    ///
    /// - Parameter isLeft: whether it leaves its work to the next one that begins it.
    func settle(_ number: UInt64, isLeft: Bool)

    /// Returns whether this effect, if unfinished, will be begun again; called on any thread.
    func isKept(_ number: UInt64) -> Bool
}

/// What happens if an effect ends before its work is done: because the process dies, or because its instance is replaced,
/// stopped, or released from quarantine.
///
/// An effect that is cancelled by a token, by its plugin or by a gate has ended for good.
public enum EffectRecovery: String, Sendable, CaseIterable {
    /// The middleware of its instance receives its action once more, and begins it again under the same key.
    case again
    /// The host reports it by the action `host/effect/interrupted`.
    case tell
    /// Nothing: something else begins it when it is wanted.
    case forget
}
