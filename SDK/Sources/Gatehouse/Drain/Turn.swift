// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The right to drain, lent for a moment by the thread that drains to one that waits for it.
///
/// The waiting thread puts `offer` into the drain's queue and sleeps in `wait`. The draining thread, when it comes to the
/// offer, hands its right over and sleeps until it is given back. So nobody burns time, and the waiter's turn comes in
/// the order of the queue, however busy the store is.
///
/// `waiter` and `drain` are constants; `lender` is written before one semaphore is signalled and read after it was
/// waited for.
final class Turn: Sendable {
    /// The number of the thread that waits.
    private let waiter: UInt
    /// The drain whose right is lent.
    private let drain: Drain
    /// The number of the thread that lends the right; 0 until it does, and when it declines.
    private let lender = Atomic<UInt>(0)
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
        guard me != waiter else { return answered.signal() }
        lender.store(me, ordering: .relaxed)
        drain.owner.store(waiter, ordering: .sequentiallyConsistent)
        answered.signal()
        returned.wait()
    }

    /// Sleeps until the offer was made; returns whether the right to drain is lent, false when it was declined.
    func wait() -> Bool {
        answered.wait()
        return lender.load(ordering: .relaxed) != 0
    }

    /// Ends the turn; from here on this thread does not drain.
    func giveBack() {
        drain.owner.store(lender.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
        returned.signal()
    }
}
