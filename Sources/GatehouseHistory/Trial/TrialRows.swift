// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK

/// Lets both sides of a trial do one row of steps after the other, at the same time where that disturbs nothing, and measures them.
///
/// Used from one thread, which begins rows ahead of those that it takes: neither side waits for the other, nor for who compares them.
final class TrialRows {
    /// What one side made of a row.
    struct Made {
        /// What followed from the steps.
        var log = ConsequenceLog()
        /// What they took.
        fileprivate var costs = TrialMeter.Row()
        /// The state after the row; nil where nobody wants it.
        var state: Result<Value, PastFailure>?
    }

    /// A row with what both sides made of it.
    ///
    /// `@unchecked Sendable`: between `begin` and `wait` of a lane its side alone touches what it makes of a row, and the rest changes at
    /// no time; before and afterwards the caller alone has it.
    final class Row: @unchecked Sendable {
        /// The steps.
        fileprivate(set) var steps: [PastStep] = []
        /// The last action of these and all steps before.
        fileprivate(set) var last: UInt64 = 0
        /// Whether the states after the row are to be compared.
        fileprivate(set) var comparesStates = false
        /// Whether they are wanted at all.
        fileprivate var wantsStates = false
        /// What the reference made of it.
        fileprivate(set) var before = Made()
        /// What the candidate made of it.
        fileprivate(set) var now = Made()

        /// A row without steps, whose memory is used again for the next ones.
        fileprivate init() {}

        /// The states after the row; nil where nobody wants them.
        func states() throws(PastFailure) -> (before: Value, now: Value)? {
            guard let before = before.state, let now = now.state else { return nil }
            return (try before.get(), try now.get())
        }

        /// Lets a side do the steps.
        fileprivate func run(
            _ side: any TrialSide, _ made: ReferenceWritableKeyPath<Row, Made>, isMeasured: Bool
        ) {
            self[keyPath: made].costs = TrialMeter.run(
                side, over: steps, filling: &self[keyPath: made].log, isMeasured: isMeasured)
            takeState(of: side, made)
        }

        /// Lets both sides do the steps in turns, and counts their instructions.
        fileprivate func run(_ before: TrialWorker, _ now: TrialWorker, _ counter: inout TrialCounter?) {
            for step in steps { counter?.dispatch(step, before, now) }
            before.side.swapLog(&self.before.log)
            now.side.swapLog(&self.now.log)
            (self.before.costs, self.now.costs) = (TrialMeter.Row(), TrialMeter.Row())
            takeState(of: before.side, \.before)
            takeState(of: now.side, \.now)
        }

        /// Takes the state of a side after the row, if it is wanted.
        private func takeState(of side: any TrialSide, _ made: ReferenceWritableKeyPath<Row, Made>) {
            guard wantsStates else { return self[keyPath: made].state = nil }
            self[keyPath: made].state = Result { () throws(PastFailure) in try side.state(after: last) }
        }
    }

    /// The most rows that have begun and are not taken: as many as one side may be ahead of the other while the machine does something
    /// else.
    private static let depth = 12

    /// The fewest steps for which to wake another thread: fewer are done in less time.
    private static let least = 8

    /// Measures the rows.
    private(set) var meter = TrialMeter()
    /// Both sides, the reference first.
    private let workers: [TrialWorker]
    /// Whether rows are measured.
    private let isMeasured: Bool
    /// The rows that have begun, the oldest first, and whether they are done.
    private var rows: [(row: Row, isDone: Bool)] = []
    /// Rows to be used again.
    private var free: [Row]

    /// Begins with nothing done.
    ///
    /// - Parameters:
    ///   - isParallel: whether both sides work at the same time.
    ///   - isMeasured: whether rows are measured.
    init(_ before: any TrialSide, _ now: any TrialSide, isParallel: Bool, isMeasured: Bool) {
        let lanes = isParallel ? (TrialLane(), TrialLane()) : (nil, nil)
        workers = [TrialWorker(before, in: lanes.0), TrialWorker(now, in: lanes.1)]
        self.isMeasured = isMeasured
        free = (0..<(isParallel ? Self.depth : 1)).map { _ in Row() }
    }

    /// Whether no more rows can begin before one is taken.
    var isFull: Bool { free.isEmpty }

    /// Begins a row; there is room for one.
    ///
    /// - Parameters:
    ///   - last: the last action of these and all steps before.
    ///   - comparesStates: whether the states after it are to be compared.
    ///   - keepsStates: whether these are wanted for something else.
    ///   - counter: counts instructions of the steps; nil for none.
    func begin(
        _ steps: [PastStep], upTo last: UInt64, comparesStates: Bool, keepsStates: Bool,
        counting counter: inout TrialCounter?
    ) {
        guard let row = free.popLast() else { return }
        (row.steps, row.last, row.comparesStates) = (steps, last, comparesStates)
        row.wantsStates = comparesStates || keepsStates
        guard counter == nil else {
            finish()
            row.run(workers[0], workers[1], &counter)
            return rows.append((row, true))
        }
        let isAlone = isMeasured && meter.beginRow()
        let isHere = !isAlone && steps.count < Self.least
        if isAlone || isHere { finish() }
        for (place, worker) in workers.enumerated() {
            let work: @Sendable (any TrialSide) -> Void = { side in
                row.run(side, place == 0 ? \.before : \.now, isMeasured: isAlone)
            }
            if isHere { work(worker.side) } else { worker.begin(work) }
            if isAlone { worker.wait() }
        }
        rows.append((row, isAlone || isHere))
    }

    /// Calls a closure with the oldest row that has begun, once both sides have done it; returns false where there is none.
    func take<Failure>(_ body: (Row) throws(Failure) -> Void) throws(Failure) -> Bool {
        guard !rows.isEmpty else { return false }
        let (row, isDone) = rows.removeFirst()
        if !isDone { for worker in workers { worker.wait() } }
        if isMeasured {
            meter.add(row.steps, before: row.before.costs, now: row.now.costs) { place in
                (1 + row.before.log.count(of: place), 1 + row.now.log.count(of: place))
            }
        }
        defer { free.append(row) }
        try body(row)
        return true
    }

    /// Waits until all rows that have begun are done.
    private func finish() {
        for place in rows.indices where !rows[place].isDone {
            for worker in workers { worker.wait() }
            rows[place].isDone = true
        }
    }

    /// Waits for the rows that have begun, and ends the threads of the sides.
    func end() {
        finish()
        for worker in workers { worker.lane?.end() }
    }
}
