// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime

/// Lets both sides of a trial do one row of steps after the other, at the same time where that disturbs nothing, and measures them.
///
/// Used from one thread, which reads the next row meanwhile.
final class TrialRows {
    /// One side, with what it does.
    ///
    /// `@unchecked Sendable`: the caller touches it before `begin` of its lane and after `wait` alone, and the lane only between them.
    private final class Side: @unchecked Sendable {
        /// The side.
        let side: any TrialSide
        /// What followed from the steps of the last row.
        var log = ConsequenceLog()
        /// What that row took.
        var row = TrialMeter.Row()
        /// Where it works; nil for the caller's thread.
        let lane: TrialLane?

        /// A side that has done nothing.
        init(_ side: any TrialSide, _ lane: TrialLane?) { (self.side, self.lane) = (side, lane) }

        /// Does a row.
        ///
        /// - Parameter isMeasured: whether memory and the times of the steps are measured.
        func run(_ steps: [PastStep], isMeasured: Bool) {
            row = TrialMeter.run(side, over: steps, filling: &log, isMeasured: isMeasured)
        }
    }

    /// Measures the rows.
    private(set) var meter = TrialMeter()
    /// The reference.
    private let before: Side
    /// The candidate.
    private let now: Side
    /// Whether rows are measured.
    private let isMeasured: Bool

    /// Begins with nothing done.
    ///
    /// - Parameters:
    ///   - isParallel: whether both sides work at the same time.
    ///   - isMeasured: whether rows are measured.
    init(_ before: any TrialSide, _ now: any TrialSide, isParallel: Bool, isMeasured: Bool) {
        self.before = Side(before, isParallel ? TrialLane() : nil)
        self.now = Side(now, isParallel ? TrialLane() : nil)
        self.isMeasured = isMeasured
    }

    /// Lets both sides do a row; returns what followed from its steps, valid until the next row.
    ///
    /// - Parameter meanwhile: called once, on this thread, while the sides are at work if they can be.
    func run<Failure>(
        _ steps: [PastStep], meanwhile: () throws(Failure) -> Void
    ) throws(Failure) -> (before: ConsequenceLog, now: ConsequenceLog) {
        let isAlone = isMeasured && meter.begin(steps)
        if let first = before.lane, let second = now.lane, !isAlone {
            first.begin { [before] in before.run(steps, isMeasured: false) }
            second.begin { [now] in now.run(steps, isMeasured: false) }
            defer { second.wait() }
            defer { first.wait() }
            try meanwhile()
        } else {
            before.run(steps, isMeasured: isAlone)
            now.run(steps, isMeasured: isAlone)
            try meanwhile()
        }
        if isMeasured { meter.add(before: before.row, now: now.row) }
        return (before.log, now.log)
    }

    /// Ends the threads of the sides.
    func end() {
        before.lane?.end()
        now.lane?.end()
    }
}
