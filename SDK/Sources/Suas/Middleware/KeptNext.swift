// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
private import Synchronization

/// What the closure `next` of one action holds: while a middleware keeps the closure, the run stays open.
final class KeptNext: Sendable {
    /// What the lock guards.
    private struct Hold {
        /// Whether it was called.
        var isUsed = false
        /// Keeps the run open.
        var next: Next<HostedAction>?
    }

    /// Lets the action pass, and keeps nothing open by itself.
    private let next: Next<HostedAction>
    /// What goes on when nothing replaces it.
    private let action: any Action
    /// Under a lock that is not held while anything passes.
    private let hold = Mutex(Hold())

    /// What lets the action pass.
    init(_ next: Next<HostedAction>, for action: any Action) {
        self.next = next
        self.action = action
    }

    /// Keeps the run open until it is called or goes; does nothing when it has been called.
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

    /// Lets an action pass, as it came when it is the one that came.
    static func pass(_ action: any Action, insteadOf original: any Action, to next: Next<HostedAction>) {
        if SameValue.holds(action, original) {
            next()
        } else {
            next(HostedAction(action: action))
        }
    }
}
