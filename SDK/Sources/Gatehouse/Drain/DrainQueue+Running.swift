// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Running the work in order, in the drain.
extension DrainQueue {
    /// Empties the queue and gives up the right to drain, or hands the work over.
    @inlinable
    func finish() {
        if ring.count > 0 || !retired.isEmpty || !mailbox.isEmpty {
            guard runQueue() else { return }
        }
        leave()
        if !mailbox.isSurelyEmpty { drainIfIdle(beginning: false) }
    }

    /// Runs queue and mail until both are empty, or hands the rest over; returns whether this thread still has the right.
    @inlinable
    func runQueue() -> Bool {
        repeat {
            while ring.count > 0 {
                if taken >= Drain.patience, !isOwed, handOver() { return false }
                let entry = ring.takeFirst()
                // Outputs of other threads' letters are work for others too, and may have no end.
                if !isOwed, entry.consequences != nil { taken &+= 1 }
                run(entry)
                if isCrowded.load(ordering: .relaxed) { makeRoom() }
            }
            if !retired.isEmpty { release() }
            trail = nil
            if !mailbox.isEmpty {
                if taken <= Drain.patience - mailbox.count.load(ordering: .relaxed) {
                    runMail()
                } else {
                    collectMail()
                }
            }
            if ring.count == 0 {
                for job in takeRestWork() { ring.append(Entry(.job(job))) }
            }
        } while ring.count > 0 || !mailbox.isEmpty
        return true
    }

    /// Admits waiting callers once half of the allowed entries are done.
    @usableFromInline
    func makeRoom() {
        guard ring.count <= limits.waiting / 2 else { return }
        isCrowded.store(false, ordering: .sequentiallyConsistent)
        wakeWaiters()
    }

    /// Processes the mail ahead of all its outputs; called when nothing else waits.
    @inlinable
    func runMail() {
        var letters = takeMail()
        for letter in letters {
            switch letter {
            case .element(let element): run(element, depth: 0)
            case .job(let job): run(job)
            }
        }
        keep(&letters)
        if !retired.isEmpty { release() }
    }

    /// Moves the mail to the end of the queue.
    @inlinable
    func collectMail() {
        var letters = takeMail()
        for letter in letters {
            switch letter {
            case .element(let element): ring.append(Entry(.element(element)))
            case .job(let job): ring.append(Entry(.job(job)))
            }
        }
        keep(&letters)
        if ring.count >= limits.waiting { isCrowded.store(true, ordering: .sequentiallyConsistent) }
    }

    /// Takes all mail, in order of arrival, in a buffer that `keep` takes back.
    @inlinable
    func takeMail() -> [Mailbox<Element>.Letter] {
        var letters = buffers.popLast() ?? []
        mailbox.swap(&letters)
        taken &+= letters.count
        if limits.waiting != .max { wakeWaiters() }
        return letters
    }

    /// Keeps a buffer for the next mail.
    @inlinable
    func keep(_ letters: inout [Mailbox<Element>.Letter]) {
        letters.removeAll(keepingCapacity: true)
        buffers.append(letters)
    }

    /// Processes one entry of the queue, on the draining thread.
    @inlinable
    @inline(__always)
    func run(_ entry: consuming Entry) {
        if entry.trail != nil || trail != nil { trail = entry.trail }
        consequences = entry.consequences
        let depth = entry.depth
        switch entry.work {
        case .element(let element): run(element, depth: depth)
        case .delayed(let delayed): run(delayed, depth: depth)
        case .job(let job): run(job)
        }
    }

    /// Passes an element to the body; calls a closure just before.
    ///
    /// - Parameter isOwn: whether the caller returns when all consequences of the element are done.
    @inlinable
    @inline(__always)
    func run(_ element: Element, depth: Int, isOwn: Bool = false, beforehand: (Body) -> Void = { _ in }) {
        if !retired.isEmpty { release() }
        if let current = unsafe current {
            self.depth = depth
            unsafe current._withUnsafeGuaranteedRef { body in
                beforehand(body)
                body.process(element)
            }
            self.depth = nil
        } else {
            drop(element)
        }
        if consequences != nil { settle({ element }, isOwn: isOwn) }
    }

    /// Does a job, then the entries that it handed over.
    @inlinable
    @inline(never)
    func run(_ job: () -> Void) {
        job()
        while let entry = placed.popFirst() { run(entry) }
    }

    /// Continues the pass of a delayed element.
    @usableFromInline
    func run(_ delayed: Delayed, depth: Int) {
        if !retired.isEmpty { release() }
        if body != nil {
            self.depth = depth
            delayed.body()
            self.depth = nil
        } else {
            drop(delayed.element())
        }
        if consequences != nil { settle(delayed.element, isOwn: false) }
    }

    /// Runs a closure on this thread with the right to drain, and returns its result.
    ///
    /// All that this thread dispatched before is done by then. While another thread is draining, this one sleeps until its
    /// turn in the queue comes, and the drainer sleeps until the closure is done. Inside a pass the closure runs at once.
    /// If the drainer itself sleeps for a drain of this thread, directly or through others, the closure runs at once too,
    /// as if the drainer called it where it sleeps; the queue reports that as `Misuse.circularRead`.
    public func withExclusiveAccess<Result>(_ body: () -> Result) -> Result {
        if isCurrent { return body() }
        let me = StoreThread.current
        repeat {
            while !enter(me) {
                let turn = Turn(of: me, in: self)
                enqueue { turn.offer() }
                switch turn.wait() {
                case .declined: break
                case .circle(let circle): return borrow(circle, body)
                case .lent:
                    defer {
                        // No pass is running while the right is lent.
                        if !retired.isEmpty { release() }
                        turn.giveBack()
                    }
                    return body()
                }
            }
            taken = 0
        } while !mailbox.isEmpty && !runQueue()
        let result = body()
        while let entry = placed.popFirst() { run(entry) }
        finish()
        return result
    }
}
