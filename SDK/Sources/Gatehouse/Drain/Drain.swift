// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The right to do a queue's work: one thread at a time, first in, first out.
///
/// A thread that finds the drain idle drains on the spot; every other thread leaves its work and continues. There is no
/// dedicated thread and no hop. All orderings that matter are sequentially consistent: a thread that leaves looks at the mail
/// after giving up the right, and a thread that posts looks at the right after posting, so one of the two always sees the
/// other.
///
/// A draining thread works for all others, but not without end: after `patience` letters of others and their outputs, and once
/// the caller's own work is done, it passes the right to a thread created for the rest.
///
/// That rule also stands in for the run-time checks of exclusive access, which would cost more than a third of a dispatch: the
/// properties that a dispatch passes through, here and in all that works in a drain, are `@exclusivity(unchecked)`. They are
/// `@safe`, because no code of another is called while one of them is being changed, except a reducer, which `StateBox` guards.
///
/// This class holds what all queues have in common, whatever their elements; `DrainQueue` is its only subclass.
public class Drain: @unchecked Sendable {
    // @unchecked Sendable: the stored properties here are atomics, `Sendable` constants, or touched only in the drain. The
    // subclass's own are guarded themselves or touched only between a successful `enter` and the matching `leave`.

    /// The number of the draining thread, 0 for none.
    @usableFromInline let owner = Atomic<UInt>(0)
    /// Does all the work or hands the rest over, and returns whether this thread still has the right; called in the drain.
    ///
    /// A closure, because closures are specialized for the body of a queue; overridden methods are not.
    @safe @exclusivity(unchecked) @usableFromInline final var work: () -> Bool = { true }
    /// Receives each misuse of the queue, in the drain.
    private let onMisuse: @Sendable (Misuse) -> Void
    /// Letters of others, and their outputs, taken since a thread took the right; touched in the drain.
    @safe @exclusivity(unchecked) @usableFromInline var taken = 0
    /// The number that the body gives to the element being processed, 0 for none; touched in the drain.
    ///
    /// An effect keeps it and shows it again while it emits, with the bit `effectMark`, so that the body knows what started
    /// the effect.
    @safe @exclusivity(unchecked) public final var mark: UInt64 = 0
    /// The highest bit of a mark: the current emission comes from an effect.
    public static let effectMark: UInt64 = 1 << 63
    /// The callers that wait because the queue is full.
    private let room = DrainRoom()
    /// Whether a circle of waiting threads was reported.
    private let hasToldCircle = Atomic<Bool>(false)

    /// Creates a drain that reports misuse to its owner, in the drain.
    @usableFromInline
    init(onMisuse: @escaping @Sendable (Misuse) -> Void) {
        self.onMisuse = onMisuse
        WaitTable.shared.add(self)
    }

    deinit { WaitTable.shared.remove(self) }

    /// Reports a misuse to the owner, at the end of the queue; callable from any thread.
    public final func report(_ misuse: Misuse) { enqueue { [onMisuse] in onMisuse(misuse) } }

    /// Whether the calling thread is draining.
    @inlinable
    public final var isCurrent: Bool { owner.load(ordering: .relaxed) == StoreThread.current }

    /// Adds work to the end of the queue, and drains here if no other thread does.
    ///
    /// Callable from any thread, also inside the drain, where it never runs the work at once.
    public final func enqueue(_ job: @escaping @Sendable () -> Void) {
        post(job)
        drainIfIdle()
    }

    /// Adds work to be done when nothing else is left; callable from any thread.
    ///
    /// By then, all that the caller added before is done, and all that followed from it.
    public final func enqueueAtRest(_ job: @escaping @Sendable () -> Void) {
        enqueue { [self] in waitForRest(job) }
    }

    /// Drains until nothing is left, unless another thread is already draining or takes over.
    ///
    /// - Parameter beginning: false when this thread continues earlier draining.
    public final func drainIfIdle(beginning: Bool = true) {
        let me = StoreThread.current
        var isFirst = beginning
        while hasMail, enter(me) {
            if isFirst { taken = 0 }
            isFirst = false
            guard work() else { return }
            leave()
        }
    }

    /// Takes the right to drain if it is free.
    @inlinable
    final func enter(_ me: UInt) -> Bool {
        // Loading first keeps threads that only post from writing the owner's cache line.
        owner.load(ordering: .relaxed) == 0
            && owner.compareExchange(expected: 0, desired: me, ordering: .sequentiallyConsistent).exchanged
    }

    /// Gives the right up; the caller must look at the mail afterwards.
    @inlinable
    final func leave() { owner.store(0, ordering: .sequentiallyConsistent) }

    // MARK: - Handing over

    /// How many letters of others, with their outputs, one caller processes before it hands the rest over.
    @inlinable static var patience: Int { 10_000 }

    /// Passes the right to a new thread for the rest of the work; returns false, and changes nothing, if the system has none.
    ///
    /// Call it between two elements.
    @usableFromInline
    final func handOver() -> Bool {
        let me = StoreThread.current
        // No thread has this number, so this thread does not count as draining before the new one has begun.
        owner.store(1, ordering: .sequentiallyConsistent)
        let hasBegun = StoreThread.start { [self] in
            owner.store(StoreThread.current, ordering: .sequentiallyConsistent)
            // This thread exists for nothing else.
            taken = .min
            guard work() else { return }
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

    /// Sleeps while the queue is full; a thread that drains any queue never sleeps here, because others may wait for it.
    @usableFromInline
    final func waitForRoom() {
        while isFull, !WaitTable.shared.hasDrain(StoreThread.current) { room.wait(while: { isFull }) }
    }

    /// Suspends the task while the queue is full; returns at once on a thread that drains it.
    final func waitForRoom() async {
        while isFull, !isCurrent { await room.wait(while: { isFull }) }
    }

    /// Makes all waiting callers look again; call it after making room.
    @usableFromInline
    final func wakeWaiters() { room.wake() }

    // MARK: - Circles

    /// Runs a closure with the right of the draining thread, which sleeps until the calling thread has done something else.
    ///
    /// The circle is the proof: every thread on the way from this drain to the calling thread sleeps for the next one, and
    /// only that one can wake it. All that they wrote before sleeping is visible here, because they entered the table in which
    /// the circle was found. So the closure runs as if the sleeping thread had called it where it sleeps.
    final func borrow<Result>(_ circle: [Drain], _ body: () -> Result) -> Result {
        if !hasToldCircle.exchange(true, ordering: .relaxed) { report(.circularRead(of: circle.map(\.name))) }
        let sleeper = owner.exchange(StoreThread.current, ordering: .sequentiallyConsistent)
        defer { owner.store(sleeper, ordering: .sequentiallyConsistent) }
        return body()
    }

    // MARK: - What a queue does

    /// Whether other threads left anything; ordered with everything sequentially consistent.
    var hasMail: Bool { preconditionFailure("a drain is a queue") }

    /// Adds a job at the end of the queue.
    func post(_ job: @escaping @Sendable () -> Void) { preconditionFailure("a drain is a queue") }

    /// Keeps a job until nothing else is left; called in the drain.
    func waitForRest(_ job: @escaping @Sendable () -> Void) { preconditionFailure("a drain is a queue") }

    /// Whether the queue has reached its limit.
    @usableFromInline var isFull: Bool { preconditionFailure("a drain is a queue") }

    /// The drain's name in messages.
    var name: String { preconditionFailure("a drain is a queue") }
}
