// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseJournal
private import Glibc

/// Measures what the steps of each side cost: processor time, and memory that stays.
///
/// Time is shown, and chooses what instructions are counted of; it decides nothing. Memory is the same each time, whatever else the machine
/// does, as far as the code is deterministic.
struct TrialMeter {
    /// What one side took for a row.
    struct Row: Sendable {
        /// The processor time, in seconds.
        var seconds = 0.0
        /// The bytes that were allocated and stayed so; 0 where that was not measured.
        var kept = 0
        /// The time of each step, in nanoseconds; empty where that was not measured.
        var spans: [UInt64] = []
    }

    /// The times of the steps of one type.
    private struct Times {
        /// The shortest, in nanoseconds.
        var shortest = UInt64.max
        /// All together, each as far as `mostOfShortest` goes.
        var sum: UInt64 = 0
        /// The number of steps.
        var count = 0

        /// Adds a step.
        mutating func add(_ span: UInt64) {
            shortest = min(shortest, span)
            sum += min(span, shortest.multipliedReportingOverflow(by: TrialMeter.mostOfShortest).partialValue)
            count += 1
        }
    }

    /// The costs so far.
    private(set) var costs = TrialCosts()
    /// The places of the types in `times`.
    private var places: [String: Int] = [:]
    /// The times by type, of both sides.
    private var times: [(before: Times, now: Times)] = []
    /// The number of rows that have begun.
    private var rows = 0

    /// A meter that has measured nothing.
    init() {}

    /// The number of steps of the first row, in which a host does what it does once: it is not measured.
    static let warmUp = 64
    /// The number of rows after it that are measured.
    private static let measured = 8
    /// Of how many later rows one is measured.
    private static let stride = 32
    /// How many times the shortest step of a type one counts at most: longer ones were interrupted by what else the machine does.
    fileprivate static let mostOfShortest: UInt64 = 64
    /// The most types that are timed.
    private static let mostTypes = 256

    /// Begins a row; returns whether memory and the times of its steps are measured, which nobody else may disturb.
    ///
    /// Of a long past some rows say enough.
    mutating func beginRow() -> Bool {
        rows += 1
        return rows > 1 && (rows <= 1 + Self.measured || rows.isMultiple(of: Self.stride))
    }

    /// Lets one side do the steps of a row, and log what follows.
    ///
    /// - Parameter isMeasured: whether memory and the times of the steps are measured.
    static func run(
        _ side: any TrialSide, over steps: [PastStep], filling log: inout ConsequenceLog, isMeasured: Bool
    ) -> Row {
        defer { side.swapLog(&log) }
        var row = Row()
        let start = processorSeconds
        if isMeasured {
            row.spans = [UInt64](repeating: 0, count: steps.count)
            let memory = gatehouse_live_bytes()
            var last = nanoseconds
            for (place, step) in steps.enumerated() {
                side.dispatch(step)
                let now = nanoseconds
                row.spans[place] = now - last
                last = now
            }
            row.kept = Int(gatehouse_live_bytes() - memory)
        } else {
            for step in steps { side.dispatch(step) }
        }
        row.seconds = processorSeconds - start
        return row
    }

    /// Adds what both sides took for a row.
    ///
    /// More actions take longer, which is told as a difference. So where more follow with the candidate, its time is judged by the action.
    ///
    /// - Parameter processed: returns how many actions each side has processed for a step, by its place in the row.
    mutating func add(
        _ steps: [PastStep], before: Row, now: Row,
        processed: (Int) -> (before: Int, now: Int) = { _ in (1, 1) }
    ) {
        costs.before.seconds += before.seconds
        costs.now.seconds += now.seconds
        guard !now.spans.isEmpty else { return }
        costs.before.kept += before.kept
        costs.now.kept += now.kept
        costs.steps += now.spans.count
        for (index, step) in steps.enumerated() {
            guard let place = place(of: step.root.type) else { continue }
            let processed = processed(index)
            times[place].before.add(before.spans[index])
            times[place].now.add(
                now.spans[index] * UInt64(min(processed.before, processed.now)) / UInt64(processed.now))
        }
    }

    /// Returns the place of a type; nil for one too many.
    private mutating func place(of type: String) -> Int? {
        if let known = places[type] { return known }
        guard times.count < Self.mostTypes else { return nil }
        places[type] = times.count
        times.append((Times(), Times()))
        return times.count - 1
    }

    /// The types whose steps seem to take longer with the candidate: their shortest one, or all of them together.
    var suspiciousTypes: Set<String> {
        Set(
            places.filter { _, place in
                let found = times[place]
                return found.before.count >= 16
                    && (Double(found.now.shortest) >= 1.2 * Double(found.before.shortest)
                        || Double(found.now.sum) >= 1.5 * Double(found.before.sum))
            }.keys)
    }

    /// The time of this machine since its start, in nanoseconds.
    private static var nanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The processor time that this thread has taken, in seconds.
    static var processorSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
