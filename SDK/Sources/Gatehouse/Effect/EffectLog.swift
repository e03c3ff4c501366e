// SPDX-License-Identifier: Apache-2.0

/// Takes note of effects that are running, for who must know after a crash which of them have not finished, and whose code it was.
public protocol EffectLog: AnyObject, Sendable {
    /// An effect begins; called in the drain, in the pass of the action that starts it, where there is one.
    ///
    /// - Returns: a number that names the effect until its end.
    func begin(_ kind: Activity.Kind) -> UInt64

    /// Work of the effect with this number begins in the current task; called in that task.
    func beginWork(_ number: UInt64)

    /// The effect with this number goes on in the background; called on any thread, at most once.
    func continueInBackground(_ number: UInt64)

    /// The effect with this number has finished or was cancelled; called on any thread, once.
    ///
    /// - Parameter kind: what it meant to the run at the end.
    func end(_ number: UInt64, _ kind: Activity.Kind)
}
