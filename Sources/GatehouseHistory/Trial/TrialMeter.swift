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
    /// The places of the types in `times`.
    private var places: [String: Int] = [:]
    /// The times by type, of both sides.
    private var times: [(before: Times, now: Times)] = []
    /// The places of the types of the steps of the row; nil for a type too many.
    private var types: [Int?] = []
    /// The number of rows so far.
    private var rows = 0
    /// Whether the first steps are over, in which a host does what it does once.
    private var isWarm = false

    /// A meter that has measured nothing.
    init() {}

    /// The number of steps whose memory is not counted.
    static let warmUp = 64
    /// The number of the first rows whose memory is measured; after them it is measured in every eighth one.
    private static let measured = 16
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
        if role == .before {
            types = steps.map { place(of: $0.root.type) }
            rows += 1
        }
        // Of a long past some rows say enough.
        let isMeasured = isWarm && (rows <= Self.measured || rows.isMultiple(of: 8))
        var spans = [UInt64](repeating: 0, count: steps.count)
        let (time, memory) = (Self.processorSeconds, isMeasured ? gatehouse_live_bytes() : 0)
        var last = Self.nanoseconds
        for (place, step) in steps.enumerated() {
            side.dispatch(step)
            let now = Self.nanoseconds
            spans[place] = now - last
            last = now
        }
        let kept = isMeasured ? Int(gatehouse_live_bytes() - memory) : 0
        let seconds = Self.processorSeconds - time
        switch role {
        case .before:
            costs.before.kept += kept
            costs.before.seconds += seconds
        case .now:
            costs.now.kept += kept
            costs.now.seconds += seconds
            if isMeasured { costs.steps += steps.count }
            isWarm = true
        }
        for (place, span) in zip(types, spans) {
            guard let place else { continue }
            if role == .before { times[place].before.add(span) } else { times[place].now.add(span) }
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
