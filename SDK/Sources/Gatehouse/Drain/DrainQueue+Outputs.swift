// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The outputs of a pass and their limits.
extension DrainQueue {
    /// Queues an element from inside the drain: an output, or one brought by a job.
    @inlinable
    public func append(_ element: Element) {
        if let current = unsafe current {
            unsafe current._withUnsafeGuaranteedRef {
                if $0.isReducing { $0.noticeDispatchInReducer(element) }
            }
        }
        append(.element(element), named: { element })
    }

    /// Queues the remaining pass of a delayed element; called in the drain.
    ///
    /// - Parameters:
    ///   - element: names the element; called only if it is dropped.
    ///   - body: runs in the drain, or never.
    public func append(delayed element: @escaping () -> Element, _ body: @escaping () -> Void) {
        append(.delayed(Delayed(element, body)), named: element)
    }

    /// Queues an output of the element being processed, unless its input has led to too many.
    @inlinable
    func append(_ work: Entry.Work, named element: () -> Element) {
        guard let depth else { return placed.append(Entry(work)) }
        if !mailbox.isEmpty { collectMail() }
        let consequences = consequences ?? begin()
        var link: Trail<Element>?
        if depth >= limits.chain - trailLength || consequences.count >= limits.actions - trailLength {
            guard admit(element(), depth, consequences, &link) else { return }
        }
        consequences.count &+= 1
        consequences.outstanding &+= 1
        ring.append(Entry(work, depth: depth &+ 1, trail: link, of: consequences))
        if ring.count >= limits.waiting { isCrowded.store(true, ordering: .sequentiallyConsistent) }
    }

    /// Counts the bytes of an output that is about to be queued; returns false if its input has led to too many, and the output
    /// must be dropped.
    ///
    /// Does not count outputs made outside a pass. After one output that was too large, no further output of its input with any
    /// size is admitted, so all that is measured for one input stays near the limit. Called in the drain.
    ///
    /// - Parameters:
    ///   - element: names the output; reported if it is the first dropped one.
    ///   - size: measures it, and may stop at the given number.
    @inlinable
    public func takes(_ element: () -> Element, sizedUpTo size: (Int) -> Int) -> Bool {
        guard limits.bytes != .max, depth != nil else { return true }
        let room = limits.bytes - (consequences?.bytes ?? 0)
        let size = size(room + 1)
        // Most outputs are small or of a plugin's own type.
        guard size > 0 else { return true }
        let consequences = consequences ?? begin()
        guard size <= room else {
            consequences.bytes = limits.bytes
            consequences.drop(.bytes, limit: limits.bytes, chain: [element()])
            return false
        }
        consequences.bytes += size
        return true
    }

    /// Begins the consequences of the current input, which has led to nothing so far.
    @inlinable
    func begin() -> Consequences<Element> {
        let made = spare.take() ?? Consequences()
        consequences = made
        return made
    }

    /// Begins the consequences of the caller's input before it is processed.
    @usableFromInline
    func beginOwn() -> Consequences<Element> {
        let made = spare.take() ?? Consequences()
        made.isOwn = true
        isOwed = true
        return made
    }

    /// Decides about an output near a limit, and keeps it for the report; false means drop it.
    @usableFromInline
    func admit(
        _ element: Element, _ depth: Int, _ consequences: Consequences<Element>,
        _ link: inout Trail<Element>?
    ) -> Bool {
        if depth >= limits.chain - trailLength {
            let end = Trail(element, after: trail)
            link = end
            guard depth < limits.chain else {
                consequences.drop(.chain, limit: limits.chain, chain: end.elements)
                return false
            }
        }
        guard consequences.count >= limits.actions - trailLength else { return true }
        if consequences.count <= limits.actions { consequences.note(element) }
        guard consequences.count < limits.actions else {
            consequences.drop(.actions, limit: limits.actions)
            return false
        }
        return true
    }

    /// Ends the pass of an element whose input has led to something.
    @inlinable
    func settle(_ element: () -> Element, isOwn: Bool) {
        guard let ended = consequences.take() else { return }
        if ended.input == nil { ended.input = element() }
        ended.outstanding &-= 1
        if ended.outstanding > 0 {
            if isOwn {
                ended.isOwn = true
                isOwed = true
            }
            return
        }
        if ended.isOwn { isOwed = false }
        if ended.isMarked { tell(ended) }
        ended.reset()
        spare = ended
    }

    /// Queues the report of an input's dropped consequences, after all that waits.
    @usableFromInline
    func tell(_ ended: Consequences<Element>) {
        guard let cut = ended.told else { return }
        cuts.inputs += 1
        cuts.dropped += cut.dropped
        let onCut = hooks.onCut
        ring.append(Entry(.job { onCut(cut) }))
    }
}
