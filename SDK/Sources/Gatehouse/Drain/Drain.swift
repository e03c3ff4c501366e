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
/// This is what all queues have in common, whatever waits in them; `DrainQueue` is the only kind there is.
public class Drain: @unchecked Sendable {
    // @unchecked Sendable: the stored properties here are atomics and a `Sendable` constant. What the subclass adds is either
    // guarded by itself or touched only between a successful `enter` and the `leave` that ends it.

    /// The thread that is draining, 0 for none.
    @usableFromInline let owner = Atomic<UInt>(0)
    /// Told about misuse.
    private let onMisuse: @Sendable (Misuse) -> Void

    /// A drain whose owner is told about misuse, in the drain.
    @usableFromInline
    init(onMisuse: @escaping @Sendable (Misuse) -> Void) {
        self.onMisuse = onMisuse
    }

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
    public final func drainIfIdle() {
        let me = Drain.thread
        while hasMail, enter(me) {
            runToEnd()
            leave()
        }
    }

    /// Takes the right to drain if it is free.
    @inlinable
    public final func enter(_ me: UInt) -> Bool {
        // The look ahead spares threads that only post the right to write the owner's cache line.
        owner.load(ordering: .relaxed) == 0
            && owner.compareExchange(expected: 0, desired: me, ordering: .sequentiallyConsistent).exchanged
    }

    /// Gives the right up; the caller looks at `waiting` afterwards.
    @inlinable
    public final func leave() {
        owner.store(0, ordering: .sequentiallyConsistent)
    }

    // MARK: - What a queue does

    /// Whether other threads left anything, ordered with everything that is sequentially consistent.
    var hasMail: Bool { preconditionFailure("a drain is a queue") }

    /// Puts a job behind what waits.
    func post(_ job: @escaping @Sendable () -> Void) { preconditionFailure("a drain is a queue") }

    /// Keeps a job for when nothing else is left; called in the drain.
    func waitForRest(_ job: @escaping @Sendable () -> Void) { preconditionFailure("a drain is a queue") }

    /// Runs everything there is; called in the drain.
    func runToEnd() { preconditionFailure("a drain is a queue") }
}

/// The number the system knows the calling thread by. The corresponding C function is `pthread_self`.
@usableFromInline
func threadNumber() -> UInt {
    UInt(pthread_self())
}
