// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A queue of elements and the body that processes them one at a time, first in, first out.
///
/// An element dispatched while no thread drains is processed at once, on the caller's thread, together with all its
/// consequences there. One dispatched by another thread waits in the mail, one from inside a pass at the end of the queue.
///
/// The queue keeps its body. It keeps a replaced or closed body until the current pass has ended, so that code inside a pass
/// need not retain it and runs without counting references.
///
/// It has more properties than other types: each is one load away from code that is compiled into every body, in an order that
/// keeps what posting threads read apart from what the draining thread writes.
///
/// `@unchecked Sendable` (inherited): the mail has a lock; everything else that varies is touched only between `enter` and
/// `leave`, which the owner word of `Drain` grants to one thread at a time, each drain ordered after the one before.
@safe
public final class DrainQueue<Body: DrainBody>: Drain, @unchecked Sendable {
    /// The type of the waiting elements.
    public typealias Element = Body.Element

    /// A piece of work with the number of synchronous outputs that led to it, the end of that chain if it is long, and the
    /// consequences of its input.
    @usableFromInline
    struct Entry {
        /// The kinds of work.
        @usableFromInline
        enum Work {
            /// An element for the body.
            case element(Element)
            /// The remaining pass of a delayed element.
            case delayed(Delayed)
            /// Work of any other kind.
            case job(@Sendable () -> Void)
        }

        /// The work to do.
        @usableFromInline let work: Work
        /// The outputs from the input to this, each in answer to the previous one.
        @usableFromInline let depth: Int
        /// The end of the chain; nil for a short one.
        @usableFromInline let trail: Trail<Element>?
        /// The consequences of the input; nil if it has led to nothing, and for jobs.
        @usableFromInline let consequences: Consequences<Element>?

        /// Creates an entry that begins a chain by default.
        @inlinable
        init(
            _ work: Work, depth: Int = 0, trail: Trail<Element>? = nil,
            of consequences: Consequences<Element>? = nil
        ) {
            self.work = work
            self.depth = depth
            self.trail = trail
            self.consequences = consequences
        }
    }

    /// The remaining pass of an element.
    @usableFromInline
    final class Delayed {
        /// Names the element; called only for that.
        let element: () -> Element
        /// Continues where the element was delayed.
        @usableFromInline let body: () -> Void

        /// Creates the rest of a pass; both closures are called in the drain.
        init(_ element: @escaping () -> Element, _ body: @escaping () -> Void) {
            self.element = element
            self.body = body
        }
    }

    /// The mailbox in which other threads leave their letters.
    @usableFromInline let mailbox = Mailbox<Element>()
    /// Whether as many entries wait as may; written in the drain, read by all threads.
    @usableFromInline let isCrowded = Atomic<Bool>(false)
    /// The limits on the work.
    @usableFromInline let limits: DrainLimits
    /// One cache line, which keeps the fields that posting threads read off those that the draining thread writes for each
    /// element.
    private let margin: InlineArray<8, UInt64> = .init(repeating: 0)
    /// The processor of the elements; nil before `open` and after `close`.
    @safe @exclusivity(unchecked) var body: Body?
    /// The body again, for use without counting references.
    @exclusivity(unchecked) @usableFromInline var current: Unmanaged<Body>?
    /// Replaced bodies, released when the current pass has ended.
    @safe @exclusivity(unchecked) @usableFromInline var retired: [Body] = []
    /// The waiting entries, in order.
    @usableFromInline let ring = Ring<Entry>()
    /// Entries that a job handed over; they take the job's place, ahead of all that waits.
    @usableFromInline let placed = Ring<Entry>()
    /// Empty buffers to take the mail with; several, because mail may be taken while other mail is being processed.
    @safe @exclusivity(unchecked) @usableFromInline var buffers: [[Mailbox<Element>.Letter]] = []
    /// Work for when nothing else is left.
    @safe @exclusivity(unchecked) private var restWork: [@Sendable () -> Void] = []
    /// The depth of the element being processed; nil between two elements, as in jobs.
    @safe @exclusivity(unchecked) @usableFromInline var depth: Int?
    /// The chain that leads to the element being processed, if it is long.
    @safe @exclusivity(unchecked) @usableFromInline var trail: Trail<Element>?
    /// The consequences of the input that the current element belongs to; nil if it has led to nothing.
    @safe @exclusivity(unchecked) @usableFromInline var consequences: Consequences<Element>?
    /// A spare for the next input that leads to something.
    @safe @exclusivity(unchecked) @usableFromInline var spare: Consequences<Element>?
    /// Whether the draining thread's caller waits until the consequences of its input are done.
    @safe @exclusivity(unchecked) @usableFromInline var isOwed = false
    /// The number of inputs that were cut, and of elements dropped there; touched in the drain.
    @safe @exclusivity(unchecked) public internal(set) var cuts = (inputs: 0, dropped: 0)
    /// How many elements of a chain are remembered to name its cycle.
    @usableFromInline let trailLength: Int
    /// The owner's callbacks for losses and misuse.
    @usableFromInline let hooks: DrainHooks<Element>
    /// Counts the effects that keep a run open.
    public let activity: Activity
    /// Leaves a job in the mail; a closure for the same reason as `work`.
    @usableFromInline let leaveJob: (@escaping @Sendable () -> Void) -> Void

    /// Creates a queue without a body.
    ///
    /// - Parameters:
    ///   - limits: how much work one input may lead to before it is cut, and how much may wait.
    ///   - trailLength: the maximum number of elements passed to `hooks.onCut`, besides the first dropped one.
    ///   - effects: how the work of effects is run.
    ///   - hooks: receive losses and misuse.
    @inlinable
    public init(
        limits: DrainLimits, trailLength: Int = 32, effects: EffectExecution = .tasks,
        hooks: DrainHooks<Element>
    ) {
        activity = Activity(execution: effects)
        limits.check()
        self.limits = limits
        self.trailLength = trailLength
        self.hooks = hooks
        leaveJob = { [mailbox] in mailbox.post(.job($0)) }
        super.init(onMisuse: hooks.onMisuse)
        work = { [unowned self] in runQueue() }
    }

    // MARK: - The body

    /// Sets the body; called in the drain, or before any other thread knows the queue.
    ///
    /// Releases the previous body when the current pass has ended.
    public func open(_ next: Body) {
        retire()
        body = next
        unsafe current = Unmanaged.passUnretained(next)
    }

    /// Releases the body; called in the drain.
    ///
    /// Later elements are dropped and passed to `hooks.onLate`.
    public func close() {
        retire()
        unsafe current = nil
    }

    /// Keeps the body until the current pass has ended.
    private func retire() {
        guard let body else { return }
        retired.append(body)
        self.body = nil
    }

    /// Releases retired bodies; called between two passes.
    @usableFromInline
    func release() {
        // Nothing here is being changed while they deinitialize: the objects they hold may call back.
        withExtendedLifetime(exchange(&retired, with: [])) {}
    }

    // MARK: - Handing over

    /// Takes an element from any thread; see the type for what happens to it.
    ///
    /// If waiting elements are limited, a thread outside every drain sleeps here while the queue is full, until half of it is
    /// done. So dispatching threads leave at most `limits.waiting` letters, plus one each, while as many are being processed.
    /// The caller must not hold a lock that the queue's work needs. A thread that drains this queue or any other never sleeps
    /// here.
    ///
    /// - Parameter beforehand: called just before the element is processed, if that is at once.
    @inlinable
    public func dispatch(_ element: Element, beforehand: (Body) -> Void = { _ in }) {
        let me = StoreThread.current
        if enter(me) {
            taken = 0
            // Mail may have come since the last drainer looked, some of it from this very thread.
            if !mailbox.isEmpty {
                collectMail()
                ring.append(Entry(.element(element), of: beginOwn()))
            } else {
                run(element, depth: 0, isOwn: true, beforehand: beforehand)
            }
            finish()
        } else if owner.load(ordering: .relaxed) == me {
            append(element)
        } else {
            if isFull { waitForRoom() }
            mailbox.post(.element(element))
            // Nearly always a thread is draining: that is why the letter was posted.
            if owner.load(ordering: .sequentiallyConsistent) == 0 { drainIfIdle() }
        }
    }

    /// Counts and reports an element that arrived after the queue was closed.
    @usableFromInline
    func drop(_ element: Element) {
        activity.countLateAction()
        hooks.onLate(element)
    }

    /// Whether no consequence of processed elements waits, nor an element that the job in hand has handed over with them; called in the
    /// drain, at the end of a pass.
    ///
    /// Mail of other threads may be waiting.
    @inlinable public var isSettled: Bool { ring.count == 0 && placed.count == 0 }

    /// The number of waiting elements and other work; called in the drain.
    public var waiting: Int { ring.count + placed.count + mailbox.count.load(ordering: .relaxed) }

    // MARK: - What a drain needs

    override var hasMail: Bool { !mailbox.isSurelyEmpty }

    override func post(_ job: @escaping @Sendable () -> Void) { leaveJob(job) }

    override func waitForRest(_ job: @escaping @Sendable () -> Void) { restWork.append(job) }

    @inlinable override var isFull: Bool {
        mailbox.count.load(ordering: .sequentiallyConsistent) >= limits.waiting
            || isCrowded.load(ordering: .sequentiallyConsistent)
    }

    override var name: String { Body.name }

    /// Takes the work that was kept until nothing else is left.
    @usableFromInline
    func takeRestWork() -> [@Sendable () -> Void] { exchange(&restWork, with: []) }
}
