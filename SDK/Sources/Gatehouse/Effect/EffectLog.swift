// SPDX-License-Identifier: Apache-2.0

/// Takes note of effects that are running, for who must know after a crash which of them have not finished.
///
/// Effects in the background are left out: whatever starts them does so again.
public protocol EffectLog: AnyObject, Sendable {
    /// An effect begins; called in the drain, in the pass of the action that starts it, where there is one.
    ///
    /// - Returns: a number that names the effect until its end.
    func begin() -> UInt64

    /// The effect with this number has finished, was cancelled or goes on in the background; called on any thread, once.
    func end(_ number: UInt64)
}
