// SPDX-License-Identifier: Apache-2.0

public import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The right to do a queue's work: one thread at a time, first in, first out.
///
/// Whoever finds nobody draining drains on their own thread; everybody else leaves their work and goes on. There is no
/// thread of its own and no hop. All orderings that matter are sequentially consistent: a thread that leaves looks at
/// the mail after giving up the right, a thread that posts looks at the right after posting, so one of the two always
/// sees the other.
///
/// Whoever drains does so for everybody, but not without end: after `patience` letters of others and outputs that they
/// lead to, and when the caller's own work is done, the right goes to a thread that is made for the rest.
///
/// This is what all queues have in common, whatever waits in them; `DrainQueue` is the only kind there is.
public class Drain: @unchecked Sendable {
    // @unchecked Sendable: the stored properties here are atomics and a `Sendable` constant. What the subclass adds is either
    // guarded by itself or touched only between a successful `enter` and the `leave` that ends it.

    /// The thread that is draining, 0 for none.
    @usableFromInline let owner = Atomic<UInt>(0)
    /// Is told about each misuse of the queue, in the drain.
    private let onMisuse: @Sendable (Misuse) -> Void
    /// Letters of others, and their outputs, that this drain has taken since somebody took the right; touched in the drain.
    @usableFromInline var taken = 0
    /// The number that the body gives to the element in hand, 0 for none; touched in the drain.
    ///
    /// An effect takes it along and shows it again while it emits, with the bit `effectMark`, so that the body knows what has
    /// started the effect.
    public final var mark: UInt64 = 0
    /// Sets the mark, and gives the one before.
    final func show(_ next: UInt64) -> UInt64 {
        let before = mark
        mark = next
        return before
    }

    /// The highest bit of a mark: what is emitted now comes from an effect.
    public static let effectMark: UInt64 = 1 << 63
    /// Where those wait who bring more than the queue takes.
    private let room = DrainRoom()
    /// Whether a circle of waiting threads was told.
    private let hasToldCircle = Atomic<Bool>(false)

    /// A drain whose owner is told about misuse, in the drain.
    @usableFromInline
    init(onMisuse: @escaping @Sendable (Misuse) -> Void) {
        self.onMisuse = onMisuse
        WaitTable.shared.add(self)
    }

    deinit { WaitTable.shared.remove(self) }

    /// Tells the owner about a mistake, at the end of the queue; callable from any thread.
    public final func report(_ misuse: Misuse) {
        let onMisuse = onMisuse
        enqueue { onMisuse(misuse) }
    }

    /// The calling thread's number; never 0.
    @inlinable
    public static var thread: UInt { threadNumber() }

    /// Whether the calling thread is draining.
    @inlinable
    public final var isCurrent: Bool {
        owner.load(ordering: .relaxed) == Drain.thread
    }

    /// Leaves work for the drain: joins the end of the queue, and drains here when nobody else does.
    ///
    /// Callable from any thread, also from inside the drain, where it never runs the work at once.
    public final func enqueue(_ job: @escaping @Sendable () -> Void) {
        post(job)
        drainIfIdle()
    }

    /// Leaves work for the moment when nothing else is left; callable from any thread.
    ///
    /// Everything the caller left before is done by then, and everything that followed from it.
    public final func enqueueAtRest(_ job: @escaping @Sendable () -> Void) {
        enqueue { [self] in waitForRest(job) }
    }

    /// Drains until nothing is left, unless somebody else is draining already.
    public final func drainIfIdle() { drainIfIdle(beginning: true) }

    /// Drains until nothing is left, unless somebody else is draining already or gets the right.
    ///
    /// - Parameter beginning: false when this thread goes on with what it did before.
    @usableFromInline
    final func drainIfIdle(beginning: Bool) {
        let me = Drain.thread
        var isFirst = beginning
        while hasMail, enter(me) {
            if isFirst { taken = 0 }
            isFirst = false
            guard runToEnd() else { return }
            leave()
        }
    }

    /// Takes the right to drain if it is free.
    @inlinable
    final func enter(_ me: UInt) -> Bool {
        // The look ahead spares threads that only post the right to write the owner's cache line.
        owner.load(ordering: .relaxed) == 0
            && owner.compareExchange(expected: 0, desired: me, ordering: .sequentiallyConsistent).exchanged
    }

    /// Gives the right up; the caller looks at the mail afterwards.
    @inlinable
    final func leave() {
        owner.store(0, ordering: .sequentiallyConsistent)
    }

    // MARK: - Handing over

    /// How many letters of others, with the outputs that they lead to, one caller takes before it hands the rest over.
    @inlinable static var patience: Int { 10_000 }

    /// Gives the right to a thread that is made for the rest of the work; false when there is none, and nothing has changed.
    ///
    /// Called between two elements.
    @usableFromInline
    final func handOver() -> Bool {
        let me = Drain.thread
        // Nobody's number, so that this thread is not taken for the one that drains until the other one has begun.
        owner.store(1, ordering: .sequentiallyConsistent)
        let hasBegun = StoreThread.start { [self] in
            owner.store(Drain.thread, ordering: .sequentiallyConsistent)
            // It is there for nothing else.
            taken = .min
            guard runToEnd() else { return }
            leave()
            drainIfIdle()
        }
        if !hasBegun {
            owner.store(me, ordering: .sequentiallyConsistent)
            taken = 0
        }
        return hasBegun
    }

    // MARK: - Room

    /// Sleeps while the queue is full, unless somebody may be waiting for this very thread: one that drains never sleeps here.
    @usableFromInline
    final func waitForRoom() {
        while isFull, !WaitTable.shared.hasDrain(Drain.thread) { room.wait(while: { isFull }) }
    }

    /// Suspends the task while the queue is full; returns at once on a thread that drains it.
    final func waitForRoom() async {
        while isFull, !isCurrent { await room.wait(while: { isFull }) }
    }

    /// Lets those look again who wait for room; called after room was made.
    @usableFromInline
    final func wakeWaiters() { room.wake() }

    // MARK: - Circles

    /// Runs a closure with the right of the thread that drains, which sleeps until this thread has done something else.
    ///
    /// The circle is the proof: every thread on the way from this drain to the calling thread sleeps for the next one, and
    /// is let go on by nobody but it. All they wrote before they went to sleep is visible here, because they entered the
    /// table that the circle was found in. So the closure runs as if the sleeping thread had called it where it sleeps.
    final func borrow<Result>(_ circle: [Drain], _ body: () -> Result) -> Result {
        if !hasToldCircle.exchange(true, ordering: .relaxed) {
            report(.circularRead(of: circle.map(\.name)))
        }
        let sleeper = owner.exchange(Drain.thread, ordering: .sequentiallyConsistent)
        defer { owner.store(sleeper, ordering: .sequentiallyConsistent) }
        return body()
    }

    // MARK: - What a queue does

    /// Whether other threads left anything, ordered with everything that is sequentially consistent.
    var hasMail: Bool { preconditionFailure("a drain is a queue") }

    /// Puts a job behind what waits.
    func post(_ job: @escaping @Sendable () -> Void) { preconditionFailure("a drain is a queue") }

    /// Keeps a job for when nothing else is left; called in the drain.
    func waitForRest(_ job: @escaping @Sendable () -> Void) { preconditionFailure("a drain is a queue") }

    /// Runs everything there is, or hands the rest over; returns whether this thread still has the right. Called in the drain.
    func runToEnd() -> Bool { preconditionFailure("a drain is a queue") }

    /// Whether more waits than may.
    @usableFromInline var isFull: Bool { preconditionFailure("a drain is a queue") }

    /// The name by which messages call the drain.
    var name: String { preconditionFailure("a drain is a queue") }
}

/// The number the system knows the calling thread by. The corresponding C function is `pthread_self`.
@usableFromInline
func threadNumber() -> UInt {
    UInt(pthread_self())
}
