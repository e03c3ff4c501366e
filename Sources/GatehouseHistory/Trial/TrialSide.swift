// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK

/// One of the two sides that a trial compares; used from one thread.
protocol TrialSide: AnyObject {
    /// Exchanges the log of what has followed since the last time for another one, which is emptied.
    func swapLog(_ log: inout ConsequenceLog)

    /// Lets a past action have its consequences, and logs those.
    func dispatch(_ step: PastStep)

    /// Does the same, and calls a closure on this thread: with true before code of an instance answers the action itself, and with false after
    /// each part of that, between which the host takes an output.
    func dispatch(_ step: PastStep, watching watch: @escaping (Bool) -> Void)

    /// Returns the state after the steps so far.
    ///
    /// - Parameter sequence: the last action of those.
    func state(after sequence: UInt64) throws(PastFailure) -> Value
}
