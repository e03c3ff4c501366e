// SPDX-License-Identifier: Apache-2.0

/// What one input has led to so far: made when it emits something, and used again for another when all of that is done.
///
/// Touched in the drain only.
@usableFromInline
final class Consequences<Element: Sendable> {
    /// The input; nil until its own pass has ended.
    @usableFromInline var input: Element?
    /// Outputs that were queued, all of them.
    @usableFromInline var count = 0
    /// Bytes that the owner of the queue has counted of them.
    @usableFromInline var bytes = 0
    /// Elements that are in hand or wait, the input among them.
    @usableFromInline var outstanding = 1
    /// Whether the thread that drains brought the input, and returns to its caller when all is done.
    @usableFromInline var isOwn = false
    /// Whether it came near a limit, so that there is more to forget.
    @usableFromInline var isMarked = false
    /// Outputs that were dropped.
    private var dropped = 0
    /// The limit that was passed first, nil while none was.
    private var cut: (kind: DrainCut<Element>.Kind, limit: Int, recent: [Element])?
    /// The last outputs before the limit on their number.
    private var last: [Element] = []

    /// An input in hand.
    @usableFromInline init() {}

    /// Keeps an output that is near the limit on their number.
    func note(_ element: Element) {
        isMarked = true
        last.append(element)
    }

    /// Counts an output that is dropped; of a chain, `chain` are the last ones.
    @usableFromInline
    func drop(_ kind: DrainCut<Element>.Kind, limit: Int, chain: [Element]? = nil) {
        isMarked = true
        dropped += 1
        if cut == nil { cut = (kind, limit, chain ?? last) }
    }

    /// What there is to tell, nil when nothing was dropped.
    var told: DrainCut<Element>? {
        guard let cut, let input else { return nil }
        return DrainCut(
            kind: cut.kind, limit: cut.limit, input: input, recent: cut.recent, dropped: dropped)
    }

    /// Forgets everything, for another input.
    @inlinable
    func reset() {
        input = nil
        count = 0
        bytes = 0
        outstanding = 1
        isOwn = false
        if isMarked { forget() }
    }

    /// Forgets what was near a limit or behind it.
    @usableFromInline
    func forget() {
        isMarked = false
        dropped = 0
        cut = nil
        last = []
    }
}
