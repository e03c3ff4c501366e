// SPDX-License-Identifier: Apache-2.0

public import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The right to run a store's work: one thread at a time, first in, first out.
///
/// Whoever finds nobody draining drains on their own thread; everybody else leaves their work and goes on. There is no
/// thread of its own and no hop. All orderings that matter are sequentially consistent: a thread that leaves looks at
/// the mailbox after giving up the right, a thread that posts looks at the right after filling the mailbox, so one of
/// the two always sees the other.
open class Drain: @unchecked Sendable {
    // @unchecked Sendable: the stored properties here are atomics, a lock, a `Sendable` constant and `restWork`, which is kept
    // inside the drain like everything that subclasses add: touched only between a successful `enter` and the `leave` that
    // ends it.

    /// The thread that is draining, 0 for none.
    @usableFromInline let owner = Atomic<UInt>(0)
    /// How many jobs wait in `mailbox`; written under its lock, read without.
    @usableFromInline let waiting = Atomic<Int>(0)
    /// Work left by threads that found somebody else draining.
    private let mailbox = Lock<[@Sendable () -> Void]>([])
    /// Work for the moment when nothing else is left; touched in the drain.
    private var restWork: [@Sendable () -> Void] = []

    /// Told about misuse.
    private let onMisuse: @Sendable (Misuse) -> Void

    /// For subclasses.
    ///
    /// - Parameter onMisuse: called in the drain; nil writes to standard error.
    public init(onMisuse: (@Sendable (Misuse) -> Void)? = nil) {
        self.onMisuse = onMisuse ?? { StandardError.report($0) }
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
        mailbox.withLock { jobs in
            jobs.append(job)
            waiting.store(jobs.count, ordering: .sequentiallyConsistent)
        }
        drainIfIdle()
    }

    /// Leaves work for the moment when queue and mailbox are both empty; callable from any thread.
    ///
    /// Everything the caller left before is done by then, and everything that followed from it.
    public final func enqueueAtRest(_ job: @escaping @Sendable () -> Void) {
        enqueue { [self] in restWork.append(job) }
    }

    /// Drains until nothing is left, unless somebody else is draining already.
    public final func drainIfIdle() {
        let me = Drain.thread
        while waiting.load(ordering: .sequentiallyConsistent) > 0, enter(me) {
            runToEnd()
            leave()
        }
    }

    /// Takes the right to drain if it is free.
    @inlinable
    public final func enter(_ me: UInt) -> Bool {
        owner.compareExchange(expected: 0, desired: me, ordering: .sequentiallyConsistent).exchanged
    }

    /// Gives the right up; the caller looks at `waiting` afterwards.
    @inlinable
    public final func leave() {
        owner.store(0, ordering: .sequentiallyConsistent)
    }

    /// Takes everything that waits, in order of arrival; called in the drain.
    public final func takeMail() -> [@Sendable () -> Void] {
        mailbox.withLock { jobs in
            let taken = jobs
            jobs = []
            waiting.store(0, ordering: .sequentiallyConsistent)
            return taken
        }
    }

    /// Takes what was left for when nothing else is; called in the drain at that moment.
    public final func takeRestWork() -> [@Sendable () -> Void] {
        let taken = restWork
        restWork = []
        return taken
    }

    /// Runs everything there is, the mail and the work left for rest included; called in the drain. Subclasses must
    /// override.
    open func runToEnd() {
        preconditionFailure("Drain.runToEnd must be overridden")
    }
}

/// The number the system knows the calling thread by. The corresponding C function is `pthread_self`.
@usableFromInline
func threadNumber() -> UInt {
    UInt(pthread_self())
}
