// SPDX-License-Identifier: Apache-2.0

/// One side of a trial, and the thread on which it works.
///
/// `@unchecked Sendable`: the side is used by its lane alone while that has work, and by the caller alone at other times.
final class TrialWorker: @unchecked Sendable {
    /// The side.
    let side: any TrialSide
    /// Where it works; nil for the caller's thread.
    let lane: TrialLane?

    /// A side that has done nothing.
    init(_ side: any TrialSide, in lane: TrialLane? = nil) { (self.side, self.lane) = (side, lane) }

    /// Begins some work with the side, which is done at once without a lane; `wait` is called once for each.
    func begin(_ work: @escaping @Sendable (any TrialSide) -> Void) {
        guard let lane else { return work(side) }
        lane.begin { [self] in work(side) }
    }

    /// Waits for the oldest work that has begun.
    func wait() { lane?.wait() }
}
