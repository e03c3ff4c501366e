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
    /// What waits.
    public typealias Element = Body.Element

    /// One thing to be done, how many synchronous outputs led to it, and the end of that chain when it is long.
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

        /// Something that begins a chain, unless told otherwise.
        @inlinable
        init(_ work: Work, depth: Int = 0, trail: Trail<Element>? = nil) {
            self.work = work
            self.depth = depth
            self.trail = trail
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

    /// What other threads left.
    @usableFromInline let mailbox = Mailbox<Element>()
    /// Keeps what posting threads read off the cache lines that the draining thread writes for each element.
    private let margin = CacheLine()
    /// What takes the elements; nil before `open` and after `close`.
    private var body: Body?
    /// The same, for use without counting references.
    @usableFromInline var current: Unmanaged<Body>?
    /// Bodies that go when the pass in hand has ended.
    @usableFromInline var retired: [Body] = []
    /// Entries that wait, in order.
    @usableFromInline var ring = Ring<Entry>()
    /// What a job handed over; it takes the job's place, ahead of what waits.
    @usableFromInline var placed = Ring<Entry>()
    /// Empty buffers to take the mail with; a second one, because mail may come while mail is worked through.
    @usableFromInline var buffers: [[Mailbox<Element>.Letter]] = []
    /// Work for when nothing else is left.
    private var restWork: [@Sendable () -> Void] = []
    /// The depth of the element in hand; nil between two elements, as in jobs.
    @usableFromInline var depth: Int?
    /// The chain that leads to the element in hand, when it is long.
    @usableFromInline var trail: Trail<Element>?
    /// Synchronous outputs one input may lead to, one in answer to the other.
    @usableFromInline let maximumChain: Int
    /// How many elements of a chain are remembered to name its cycle.
    @usableFromInline let trailLength: Int
    /// Told about losses.
    @usableFromInline let hooks: DrainHooks<Element>
    /// Counts what keeps a run open.
    public let activity = Activity()
    /// Runs everything there is. A closure, because closures are compiled for the body, overridden methods are not.
    @usableFromInline var work: () -> Void = {}
    /// Leaves a job in the mail; a closure for the same reason.
    @usableFromInline let leaveJob: (@escaping @Sendable () -> Void) -> Void

    /// A queue without a body.
    ///
    /// - Parameters:
    ///   - maximumChain: outputs emitted synchronously one in answer to the other, from one input, before the chain is cut;
    ///     1 or more.
    ///   - trailLength: how many elements at the end of a cut chain `hooks.onLoop` is told.
    @inlinable
    public init(maximumChain: Int, trailLength: Int = 32, hooks: DrainHooks<Element>) {
        precondition(maximumChain > 0, "maximumChain must be 1 or more")
        self.maximumChain = maximumChain
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
    @inlinable
    public func dispatch(_ element: Element) {
        dispatch(element, beforehand: { _ in })
    }

    /// The same; calls a closure just before the element is processed, if that is at once.
    @inlinable
    public func dispatch(_ element: Element, beforehand: (Body) -> Void) {
        let me = Drain.thread
        if enter(me) {
            // Mail may have come since the last drainer looked, some of it from this very thread.
            if !mailbox.isEmpty {
                collectMail()
                ring.append(Entry(.element(element)))
            } else {
                run(element, depth: 0, beforehand: beforehand)
            }
            finish()
        } else if owner.load(ordering: .relaxed) == me {
            append(element)
        } else {
            mailbox.post(.element(element))
            // Nearly always somebody is: that is why the letter was posted.
            if owner.load(ordering: .sequentiallyConsistent) == 0 { drainIfIdle() }
        }
    }

    /// Queues an element from inside the drain: an output, or one that a job brings.
    @inlinable
    public func append(_ element: Element) {
        if let current = unsafe current {
            unsafe current._withUnsafeGuaranteedRef {
                if $0.isReducing { $0.noticeDispatchInReducer(element) }
            }
        }
        append(.element(element), named: { element })
    }

    /// Queues the rest of the way of an element that was delayed; called in the drain.
    ///
    /// - Parameters:
    ///   - element: what names the element; asked only when it is dropped.
    ///   - body: runs in the drain, or never.
    public func append(delayed element: @escaping () -> Element, _ body: @escaping () -> Void) {
        append(.delayed(Delayed(element, body)), named: element)
    }

    /// Queues something as an output of the element in hand, unless that cuts the chain.
    @inlinable
    func append(_ work: Entry.Work, named element: () -> Element) {
        guard let depth else { return placed.append(Entry(work)) }
        if !mailbox.isEmpty { collectMail() }
        guard depth >= maximumChain - trailLength else {
            return ring.append(Entry(work, depth: depth &+ 1))
        }
        guard let link = lengthenTrail(element(), depth) else { return }
        ring.append(Entry(work, depth: depth &+ 1, trail: link))
    }

    /// Adds an element to a long chain; nil when that cuts the chain.
    @usableFromInline
    func lengthenTrail(_ element: Element, _ depth: Int) -> Trail<Element>? {
        let link = Trail(element, after: trail)
        guard depth >= maximumChain else { return link }
        hooks.onLoop(maximumChain, link.elements)
        return nil
    }

    /// Counts and reports an element that came after the queue was closed.
    @usableFromInline
    func drop(_ element: Element) {
        activity.countLateAction()
        hooks.onLate(element)
    }

    // MARK: - Running

    /// Empties the queue and gives the right to drain up.
    @inlinable
    func finish() {
        if ring.count > 0 || !retired.isEmpty || !mailbox.isEmpty { runQueue() }
        leave()
        if !mailbox.isSurelyEmpty { drainIfIdle() }
    }

    /// Runs queue and mail until both are empty.
    @inlinable
    func runQueue() {
        var isContended = false
        repeat {
            while let entry = ring.popFirst() { run(entry) }
            if !retired.isEmpty { release() }
            trail = nil
            if !mailbox.isEmpty {
                // Mail that came while mail was worked through: somebody goes on posting, and many letters together cost
                // hardly more than one, because what costs is taking the mailbox from another processor.
                if isContended { mailbox.linger() }
                isContended = true
                runMail()
            }
            if ring.count == 0 {
                for job in takeRestWork() { ring.append(Entry(.job(job))) }
            }
        } while ring.count > 0 || !mailbox.isEmpty
    }

    /// Works through the mail, which is ahead of whatever it leads to; called when nothing else waits.
    @inlinable
    func runMail() {
        takeMail { letter in
            switch letter {
            case .element(let element): run(element, depth: 0)
            case .job(let job): run(job)
            }
        }
        if !retired.isEmpty { release() }
    }

    /// Moves the mail behind what waits.
    @inlinable
    func collectMail() {
        takeMail { letter in
            switch letter {
            case .element(let element): ring.append(Entry(.element(element)))
            case .job(let job): ring.append(Entry(.job(job)))
            }
        }
    }

    /// Takes all mail and calls a closure with each letter, in order of arrival.
    @inlinable
    func takeMail(_ body: (Mailbox<Element>.Letter) -> Void) {
        var letters = buffers.popLast() ?? []
        mailbox.swap(&letters)
        for letter in letters { body(letter) }
        letters.removeAll(keepingCapacity: true)
        buffers.append(letters)
    }

    /// Does one thing.
    @inlinable
    func run(_ entry: Entry) {
        if entry.trail != nil || trail != nil { trail = entry.trail }
        switch entry.work {
        case .element(let element): run(element, depth: entry.depth)
        case .delayed(let delayed): run(delayed, depth: entry.depth)
        case .job(let job): run(job)
        }
    }

    /// Gives the body an element; calls a closure just before.
    @inlinable
    @inline(__always)
    func run(_ element: Element, depth: Int, beforehand: (Body) -> Void = { _ in }) {
        if !retired.isEmpty { release() }
        guard let current = unsafe current else { return drop(element) }
        self.depth = depth
        unsafe current._withUnsafeGuaranteedRef { body in
            beforehand(body)
            body.process(element)
        }
        self.depth = nil
    }

    /// Does a job, and then what it handed over.
    @inlinable
    func run(_ job: () -> Void) {
        job()
        while let entry = placed.popFirst() { run(entry) }
    }

    /// Goes on with an element that was delayed.
    @usableFromInline
    func run(_ delayed: Delayed, depth: Int) {
        if !retired.isEmpty { release() }
        guard body != nil else { return drop(delayed.element()) }
        self.depth = depth
        delayed.body()
        self.depth = nil
    }

    /// Runs a closure on this thread with the right to drain, and returns its result.
    ///
    /// Everything this thread handed over before is done by then. When another thread is draining this one sleeps until its
    /// turn in the queue comes, and the drainer sleeps until the closure is done. Inside a pass the closure runs at once.
    public func withExclusiveAccess<Result>(_ body: () -> Result) -> Result {
        if isCurrent { return body() }
        let me = Drain.thread
        while !enter(me) {
            let turn = Turn(of: me, in: self)
            enqueue { turn.offer() }
            if turn.wait() {
                defer {
                    // No pass is in hand while the right is lent.
                    if !retired.isEmpty { release() }
                    turn.giveBack()
                }
                return body()
            }
        }
        if !mailbox.isEmpty { runQueue() }
        let result = body()
        while let entry = placed.popFirst() { run(entry) }
        finish()
        return result
    }

    // MARK: - What a drain needs

    override var hasMail: Bool { !mailbox.isSurelyEmpty }

    override func post(_ job: @escaping @Sendable () -> Void) { leaveJob(job) }

    override func waitForRest(_ job: @escaping @Sendable () -> Void) { restWork.append(job) }

    override func runToEnd() { work() }

    /// Takes what was left for when nothing else is.
    @usableFromInline
    func takeRestWork() -> [@Sendable () -> Void] {
        let taken = restWork
        restWork = []
        return taken
    }
}
