// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseJournal
private import Glibc

/// Measures what the steps of each side cost: processor time, and memory that stays.
///
/// Time is shown, and chooses what instructions are counted of; it decides nothing. Memory is the same each time, whatever else the machine
/// does, as far as the code is deterministic.
struct TrialMeter {
    /// The sides of a trial.
    enum Side {
        case before, now
    }

    /// The times of the steps of one type.
    private struct Times {
        /// The shortest, in nanoseconds.
        var shortest = UInt64.max
        /// All together.
        var sum: UInt64 = 0
        /// The number of steps.
        var count = 0

        /// Adds a step.
        mutating func add(_ span: UInt64) {
            shortest = min(shortest, span)
            sum += span
            count += 1
        }
    }

    /// The costs so far.
    private(set) var costs = TrialCosts()
    /// The times by type, of both sides.
    private var times: [String: (before: Times, now: Times)] = [:]
    /// The types of the steps of the row.
    private var types: [String] = []
    /// Whether the first steps are over, in which a host does what it does once.
    private var isWarm = false

    /// A meter that has measured nothing.
    init() {}

    /// The number of steps whose memory is not counted.
    static let warmUp = 64
    /// The most types that are timed.
    private static let mostTypes = 256

    /// Lets one side do the steps of a row, and log what follows.
    ///
    /// - Parameter isTimed: whether what the steps cost counts.
    mutating func run(
        _ side: any TrialSide, over steps: [PastStep], filling log: inout ConsequenceLog, as role: Side,
        isTimed: Bool
    ) {
        log.removeAll()
        side.swapLog(&log)
        defer { side.swapLog(&log) }
        guard isTimed else {
            for step in steps { side.dispatch(step) }
            return
        }
        if role == .before { types = steps.map(\.root.type) }
        var spans = [UInt64](repeating: 0, count: steps.count)
        let (time, memory) = (Self.processorSeconds, gatehouse_live_bytes())
        var last = Self.nanoseconds
        for (place, step) in steps.enumerated() {
            side.dispatch(step)
            let now = Self.nanoseconds
            spans[place] = now - last
            last = now
        }
        let kept = isWarm ? Int(gatehouse_live_bytes() - memory) : 0
        let seconds = Self.processorSeconds - time
        switch role {
        case .before:
            costs.before.kept += kept
            costs.before.seconds += seconds
        case .now:
            costs.now.kept += kept
            costs.now.seconds += seconds
            if isWarm { costs.steps += steps.count }
            isWarm = true
        }
        for (type, span) in zip(types, spans) { note(span, of: type, role) }
    }

    /// Takes note of how long a step took.
    private mutating func note(_ span: UInt64, of type: String, _ role: Side) {
        guard times.count < Self.mostTypes || times[type] != nil else { return }
        var known = times[type] ?? (Times(), Times())
        if role == .before { known.before.add(span) } else { known.now.add(span) }
        times[type] = known
    }

    /// The types whose steps seem to take longer with the candidate: their shortest one, or all of them together.
    var suspiciousTypes: Set<String> {
        Set(
            times.filter { _, found in
                found.before.count >= 16
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
    private static var processorSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
