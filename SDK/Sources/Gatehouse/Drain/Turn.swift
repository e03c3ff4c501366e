// SPDX-License-Identifier: Apache-2.0

/// The right to drain, lent for a moment by the draining thread to a waiting one.
///
/// The waiting thread puts `offer` into the drain's queue and sleeps in `wait`. When the draining thread reaches the
/// offer, it hands its right over and sleeps until it gets it back. So no thread burns time, and the waiter's turn comes
/// in the order of the queue, however busy the store is.
///
/// `@unchecked Sendable`: the constants are `Sendable`; `isOpen` and `lender` are touched only under the lock of the
/// `WaitTable`, or read after waiting for a semaphore that is signalled after the write.
final class Turn: @unchecked Sendable {
    /// How waiting for a turn can end.
    enum Outcome {
        /// The right to drain is lent.
        case lent
        /// The waiting thread reached its own offer while draining.
        case declined
        /// The thread would have waited for itself; these drains lie on the way, starting with the one it wants.
        case circle([Drain])
    }

    /// The number of the thread that waits.
    let waiter: UInt
    /// The drain whose right is lent.
    let drain: Drain
    /// Whether it has been neither lent nor declined nor withdrawn.
    var isOpen = true
    /// The number of the lending thread; 0 while there is none.
    var lender: UInt = 0
    /// Signalled once, when the right is lent or the offer declined.
    private let answered = Semaphore()
    /// Signalled once, when the right is given back.
    private let returned = Semaphore()

    /// Creates a turn for the thread with this number.
    init(of waiter: UInt, in drain: Drain) {
        self.waiter = waiter
        self.drain = drain
    }

    /// Lends the right and waits until it is given back; called in the drain.
    ///
    /// Declines if the waiting thread itself calls it, having reached its own offer while draining.
    func offer() {
        let me = StoreThread.current
        guard me != waiter else {
            WaitTable.shared.decline(self)
            return answered.signal()
        }
        guard WaitTable.shared.lend(self, by: me) else { return }
        answered.signal()
        returned.wait()
    }

    /// Sleeps until the offer is answered, unless that would be never.
    func wait() -> Outcome {
        if let circle = WaitTable.shared.enter(self) { return .circle(circle) }
        answered.wait()
        return lender != 0 ? .lent : .declined
    }

    /// Ends the turn; from now on this thread does not drain.
    func giveBack() {
        WaitTable.shared.giveBack(self)
        returned.signal()
    }
}
