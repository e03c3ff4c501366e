// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
private import Synchronization

/// The storage of one action's `next` closure: while a middleware keeps the closure, the run stays open.
final class KeptNext: Sendable {
    /// The state that the lock guards.
    private struct Hold {
        /// Whether `next` was called.
        var isUsed = false
        /// Keeps the run open.
        var next: Next<HostedAction>?
    }

    /// Lets the action pass; does not keep the run open by itself.
    private let next: Next<HostedAction>
    /// The action that continues unless replaced.
    private let action: any Action
    /// The state; the lock is not held while an action passes.
    private let hold = Mutex(Hold())

    /// Creates the storage for one action.
    init(_ next: Next<HostedAction>, for action: any Action) {
        self.next = next
        self.action = action
    }

    /// Keeps the run open until `next` is called or released; does nothing once it has been called.
    func holdRun() {
        let holding = next.holdingRun()
        hold.withLock { hold in
            if !hold.isUsed { hold.next = holding }
        }
    }

    /// Lets an action pass; callable from any thread.
    func pass(_ action: any Action) {
        let holding = hold.withLock { hold in
            hold.isUsed = true
            return hold.next.take()
        }
        Self.pass(action, insteadOf: self.action, to: holding ?? next)
    }

    /// Lets an action pass, unchanged if it is the original one.
    static func pass(_ action: any Action, insteadOf original: any Action, to next: Next<HostedAction>) {
        if SameValue.holds(action, original) {
            next()
        } else {
            next(HostedAction(action: action))
        }
    }
}
