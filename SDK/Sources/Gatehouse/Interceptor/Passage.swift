// SPDX-License-Identifier: Apache-2.0

/// One action at one interceptor: whether its `next` may still run the rest at once, and the rest itself.
///
/// `@unchecked Sendable`: the variables and the rest of the way are touched in the drain only, into which `pass` brings
/// calls from elsewhere. A passage without a drain is called where the closure of its `Next` allows.
@usableFromInline
final class Passage<Action: Sendable>: @unchecked Sendable {
    /// The rest of the way.
    @usableFromInline let onward: Onward<Action>
    /// Whether the rest may run at once: not after it has, and not after the interceptor has returned.
    @safe @exclusivity(unchecked) @usableFromInline var isOpen = true

    /// Creates an open passage.
    @inlinable
    init(_ onward: Onward<Action>) {
        self.onward = onward
    }

    /// Counts the work that keeps a run open; nil outside a store.
    @usableFromInline var activity: Activity? { onward.activity }

    /// Ends the time in which the rest may run at once.
    @inlinable
    func close() { isOpen = false }

    /// Lets an action pass, nil for the original; callable from any thread.
    @inlinable
    func pass(_ action: Action?, ending hold: RunHold?) {
        guard let drain = onward.drain, !drain.isCurrent else {
            passInDrain(action)
            hold?.end()
            return
        }
        drain.enqueue { [self] in
            passInDrain(action)
            hold?.end()
        }
    }

    /// Lets an action pass; called in the drain.
    @inlinable
    func passInDrain(_ action: Action?) {
        if isOpen {
            isOpen = false
            return onward.pass(action)
        }
        onward.post({ action }) { [onward] in onward.pass(action) }
    }
}
