// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Elements that wait for their turn, and the body that takes them one at a time, first in, first out.
///
/// An element handed over while nobody drains is processed at once, on the caller's thread, together with everything it
/// leads to there. One handed over by another thread waits in the mail, one from inside a pass at the end of the queue.
///
/// The queue keeps its body. A body that is replaced or closed is kept until the pass it is in has ended, so that inside a
/// pass nobody need keep it: what runs there goes without counting references.
///
/// `@unchecked Sendable` (inherited): the mail has a lock; everything else that varies is touched only between `enter` and
/// `leave`, which the owner word of `Drain` grants to one thread at a time, each drain ordered after the one before.
@safe
public final class DrainQueue<Body: DrainBody>: Drain, @unchecked Sendable {
    /// The type of what waits in the queue.
    public typealias Element = Body.Element

    /// One thing to be done, how many synchronous outputs led to it, the end of that chain when it is long, and the input
    /// that it is a consequence of.
    @usableFromInline
    struct Entry {
        /// The kinds of things.
        @usableFromInline
        enum Work {
            /// An element for the body.
            case element(Element)
            /// The rest of the way of an element that was delayed.
            case delayed(Delayed)
            /// Work of any kind.
            case job(@Sendable () -> Void)
        }

        /// What is to be done.
        @usableFromInline let work: Work
        /// Outputs from the input to this, one in answer to the other.
        @usableFromInline let depth: Int
        /// The end of the chain; nil for a short one.
        @usableFromInline let trail: Trail<Element>?
        /// What the input led to; nil for an input that has led to nothing, and for jobs.
        @usableFromInline let consequences: Consequences<Element>?

        /// Something that begins a chain, unless told otherwise.
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

    /// The rest of the way of an element.
    @usableFromInline
    final class Delayed {
        /// The element; asked only to name it.
        let element: () -> Element
        /// Goes on where the element was delayed.
        @usableFromInline let body: () -> Void

        /// What names the element, and the rest of its way; both are called in the drain.
        init(_ element: @escaping () -> Element, _ body: @escaping () -> Void) {
            self.element = element
            self.body = body
        }
    }

    /// The mailbox in which other threads leave their letters.
    @usableFromInline let mailbox = Mailbox<Element>()
    /// Whether more entries wait than may; written in the drain, read by everybody.
    @usableFromInline let isCrowded = Atomic<Bool>(false)
    /// How much work there may be.
    @usableFromInline let limits: DrainLimits
    /// Keeps what posting threads read off the cache lines that the draining thread writes for each element.
    private let margin = CacheLine()
    /// What takes the elements; nil before `open` and after `close`.
    var body: Body?
    /// The same, for use without counting references.
    @usableFromInline var current: Unmanaged<Body>?
    /// Bodies that go when the pass in hand has ended.
    @usableFromInline var retired: [Body] = []
    /// Entries that wait, in order.
    @usableFromInline let ring = Ring<Entry>()
    /// What a job handed over; it takes the job's place, ahead of what waits.
    @usableFromInline let placed = Ring<Entry>()
    /// Empty buffers to take the mail with; a second one, because mail may come while mail is worked through.
    @usableFromInline var buffers: [[Mailbox<Element>.Letter]] = []
    /// Work for when nothing else is left.
    private var restWork: [@Sendable () -> Void] = []
    /// The depth of the element in hand; nil between two elements, as in jobs.
    @usableFromInline var depth: Int?
    /// The chain that leads to the element in hand, when it is long.
    @usableFromInline var trail: Trail<Element>?
    /// What the input led to that the element in hand is a consequence of; nil when it has led to nothing.
    @usableFromInline var consequences: Consequences<Element>?
    /// One to be used for the next input that leads to something.
    @usableFromInline var spare: Consequences<Element>?
    /// Whether the caller of the thread that drains waits until the consequences of its input are done.
    @usableFromInline var isOwed = false
    /// How many inputs were cut, and how many elements were dropped there; touched in the drain.
    public internal(set) var cuts = (inputs: 0, dropped: 0)
    /// How many elements of a chain are remembered to name its cycle.
    @usableFromInline let trailLength: Int
    /// The functions that are told about what is lost or cut.
    @usableFromInline let hooks: DrainHooks<Element>
    /// Counts what keeps a run open.
    public let activity: Activity
    /// Runs everything there is. A closure, because closures are compiled for the body, overridden methods are not.
    @usableFromInline var work: () -> Bool = { true }
    /// Leaves a job in the mail; a closure for the same reason.
    @usableFromInline let leaveJob: (@escaping @Sendable () -> Void) -> Void

    /// A queue without a body.
    ///
    /// - Parameters:
    ///   - limits: how much work one input may lead to before it is cut, and how much may wait.
    ///   - trailLength: how many elements `hooks.onCut` is told at most, beside the first that was dropped.
    ///   - effects: how the work of effects is run.
    ///   - hooks: told about losses and misuse.
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

    /// Sets the body; called in the drain, or before the queue is known to anybody else.
    ///
    /// The body before it is let go when the pass in hand has ended.
    public func open(_ next: Body) {
        retire()
        body = next
        unsafe current = Unmanaged.passUnretained(next)
    }

    /// Lets go of the body; called in the drain. What comes later is dropped and told to `hooks.onLate`.
    public func close() {
        retire()
        unsafe current = nil
    }

    /// Keeps the body until the pass in hand has ended.
    private func retire() {
        guard let body else { return }
        retired.append(body)
        self.body = nil
    }

    /// Lets retired bodies go; called between two passes.
    @usableFromInline
    func release() {
        let gone = retired
        retired = []
        // They go with nothing here being changed: what they hold may come back here when it goes.
        withExtendedLifetime(gone) {}
    }

    // MARK: - Handing over

    /// Takes an element from any thread; see the type for what becomes of it.
    ///
    /// With a limit on what waits, a thread outside every drain sleeps here while the queue is full, until half of it is done.
    /// So dispatching threads leave at most `limits.waiting` letters, and one more each, while as many are being worked
    /// through. It must not hold a lock that the queue's work needs. A thread that drains, this queue or any other, never
    /// sleeps here.
    @inlinable
    public func dispatch(_ element: Element) {
        dispatch(element, beforehand: { _ in })
    }

    /// The same; calls a closure just before the element is processed, if that is at once.
    @inlinable
    public func dispatch(_ element: Element, beforehand: (Body) -> Void) {
        let me = Drain.thread
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
            // Nearly always somebody is: that is why the letter was posted.
            if owner.load(ordering: .sequentiallyConsistent) == 0 { drainIfIdle() }
        }
    }

    /// Counts and reports an element that came after the queue was closed.
    @usableFromInline
    func drop(_ element: Element) {
        activity.countLateAction()
        hooks.onLate(element)
    }

    /// Whether nothing waits that follows from what was processed; called in the drain, at the end of a pass.
    ///
    /// Mail of other threads may be there.
    @inlinable public var isSettled: Bool { ring.count == 0 }

    /// How much waits: elements, and work of any other kind; called in the drain.
    public var waiting: Int { ring.count + placed.count + mailbox.count.load(ordering: .relaxed) }

    // MARK: - What a drain needs

    override var hasMail: Bool { !mailbox.isSurelyEmpty }

    override func post(_ job: @escaping @Sendable () -> Void) { leaveJob(job) }

    override func waitForRest(_ job: @escaping @Sendable () -> Void) { restWork.append(job) }

    override func runToEnd() -> Bool { work() }

    @inlinable override var isFull: Bool {
        mailbox.count.load(ordering: .sequentiallyConsistent) >= limits.waiting
            || isCrowded.load(ordering: .sequentiallyConsistent)
    }

    override var name: String { Body.name }

    /// Takes what was left for when nothing else is.
    @usableFromInline
    func takeRestWork() -> [@Sendable () -> Void] {
        let taken = restWork
        restWork = []
        return taken
    }
}
