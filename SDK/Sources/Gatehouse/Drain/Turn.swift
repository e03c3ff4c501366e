// SPDX-License-Identifier: Apache-2.0

/// The right to drain, lent for a moment by the thread that drains to one that waits for it.
///
/// The waiting thread puts `offer` into the drain's queue and sleeps in `wait`. The draining thread, when it comes to the
/// offer, hands its right over and sleeps until it is given back. So nobody burns time, and the waiter's turn comes in
/// the order of the queue, however busy the store is.
///
/// `@unchecked Sendable`: the constants are `Sendable`; `isOpen` and `lender` are touched under the lock of the
/// `WaitTable` only, or read after a semaphore was waited for that is signalled behind it.
final class Turn: @unchecked Sendable {
    /// The ways in which waiting for a turn can end.
    enum Outcome {
        /// The right to drain is lent.
        case lent
        /// The waiting thread came to drain its own offer.
        case declined
        /// The thread would have waited for itself; these drains lie on the way, the one it wants first.
        case circle([Drain])
    }

    /// The number of the thread that waits.
    let waiter: UInt
    /// The drain whose right is lent.
    let drain: Drain
    /// Whether it has been neither lent nor declined nor withdrawn.
    var isOpen = true
    /// The number of the thread that lends the right; 0 while none does.
    var lender: UInt = 0
    /// Signalled once, when the offer was made or declined.
    private let answered = Semaphore()
    /// Signalled once, when the right is given back.
    private let returned = Semaphore()

    /// A turn of the thread with this number.
    init(of waiter: UInt, in drain: Drain) {
        self.waiter = waiter
        self.drain = drain
    }

    /// Lends the right and waits until it is back; called in the drain.
    ///
    /// Called by the waiting thread itself, which happens when it came to drain its own offer, it declines.
    func offer() {
        let me = Drain.thread
        guard me != waiter else {
            WaitTable.shared.decline(self)
            return answered.signal()
        }
        guard WaitTable.shared.lend(self, by: me) else { return }
        answered.signal()
        returned.wait()
    }

    /// Sleeps until the offer was made, unless that would be never.
    func wait() -> Outcome {
        if let circle = WaitTable.shared.enter(self) { return .circle(circle) }
        answered.wait()
        return lender != 0 ? .lent : .declined
    }

    /// Ends the turn; from here on this thread does not drain.
    func giveBack() {
        WaitTable.shared.giveBack(self)
        returned.signal()
    }
}
