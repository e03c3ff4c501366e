// SPDX-License-Identifier: Apache-2.0

/// Everything that one input has led to so far: created at its first output, and reused for another input once all is
/// done.
///
/// Touched in the drain only.
@usableFromInline
final class Consequences<Element: Sendable> {
    /// The input; nil until its own pass has ended.
    @safe @exclusivity(unchecked) @usableFromInline var input: Element?
    /// All outputs that were queued.
    @safe @exclusivity(unchecked) @usableFromInline var count = 0
    /// The bytes of these outputs, as counted by the queue's owner.
    @safe @exclusivity(unchecked) @usableFromInline var bytes = 0
    /// Elements being processed or waiting, including the input.
    @safe @exclusivity(unchecked) @usableFromInline var outstanding = 1
    /// Whether the draining thread brought the input and returns to its caller when all is done.
    @safe @exclusivity(unchecked) @usableFromInline var isOwn = false
    /// Whether a limit came near, so that there is more to forget.
    @safe @exclusivity(unchecked) @usableFromInline var isMarked = false
    /// Outputs that were dropped.
    @safe @exclusivity(unchecked) private var dropped = 0
    /// The first limit that was exceeded; nil if none was.
    @safe @exclusivity(unchecked) private var cut:
        (kind: DrainCut<Element>.Kind, limit: Int, recent: [Element])?
    /// The last outputs before the limit on their number.
    @safe @exclusivity(unchecked) private var last: [Element] = []

    /// Begins with the input being processed.
    @usableFromInline init() {}

    /// Keeps an output near the limit on their number.
    func note(_ element: Element) {
        isMarked = true
        last.append(element)
    }

    /// Counts a dropped output; `chain` holds the last outputs of a chain.
    @usableFromInline
    func drop(_ kind: DrainCut<Element>.Kind, limit: Int, chain: [Element]? = nil) {
        isMarked = true
        dropped += 1
        if cut == nil { cut = (kind, limit, chain ?? last) }
    }

    /// The report for the owner; nil if nothing was dropped.
    var told: DrainCut<Element>? {
        guard let cut, let input else { return nil }
        return DrainCut(
            kind: cut.kind, limit: cut.limit, input: input, recent: cut.recent, dropped: dropped)
    }

    /// Forgets everything, for reuse with another input.
    @inlinable
    func reset() {
        input = nil
        count = 0
        bytes = 0
        outstanding = 1
        isOwn = false
        if isMarked { forget() }
    }

    /// Forgets the outputs kept near or beyond a limit.
    @usableFromInline
    func forget() {
        isMarked = false
        dropped = 0
        cut = nil
        last = []
    }
}
