// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// Takes note of each action that reached the reducers, for a journal, and hands them over when nothing waits that follows from
/// them: only then can a run after a crash go on behind them.
///
/// `@unchecked Sendable`: what is not guarded by the lock is touched in the drain only.
final class ActionRecorder: @unchecked Sendable {
    /// Takes what is handed over; calls back when it is committed.
    typealias Taker = @Sendable (JournalBatch, (@Sendable (JournalFailure?) -> Void)?) -> Void

    /// From where an action follows: the input, or whatever else began its chain.
    private struct Root {
        /// The sequence number of the first action of the chain.
        var first: UInt64 = 0
        /// The number of the input; 0 for a chain that something else began.
        var input: UInt64 = 0
        /// How many actions of the chain there were before.
        var place: UInt32 = 0
        /// How many there have been behind the first one; counted there.
        var followers: UInt32 = 0
    }

    /// An action that is recorded, and not under the lock yet: most passes have one, and take the lock once.
    @safe
    private struct Fresh {
        /// What is kept of it.
        let entry: JournalEntry
        /// The line it came as, borrowed until its pass is over; empty for none.
        let line: UnsafeRawBufferPointer
    }

    /// What is guarded by the lock.
    private struct Open {
        /// What was not handed over.
        var batch: JournalBatch
        /// The number of the last effect that began.
        var lastEffect: UInt64
        /// Whether it is known that something waits to be handed over.
        var isNoticed = false
        /// The last action whose consequences are recorded too.
        var settled: UInt64
    }

    /// So many actions, or bytes of their lines, are handed over at the next rest: to wake the writer costs as much as to record
    /// hundreds of them.
    private static let most = (entries: 8_192, bytes: 1 << 20)
    /// Of so many actions the root is remembered; a power of two.
    private static let remembered: UInt64 = 1_024

    /// What waits, under a lock that is held for a few instructions.
    private let open: Mutex<Open>
    /// The number of the last input that was accepted.
    private let lastInput: Atomic<UInt64>
    /// Takes what is handed over; called in order, on the thread that hands over.
    private let take: Taker
    /// Called, once, when there is something to be handed over after a while.
    private let notice: @Sendable () -> Void
    /// What effects and inputs of this journal are named by.
    let name: String
    /// Grows with each run.
    let epoch: UInt64

    /// The sequence number of the last action.
    private(set) var sequence: UInt64
    /// The roots of the last actions, by the low bits of their numbers.
    private var roots: [Root]
    /// What was recorded last in the pass in hand; nil when that is under the lock.
    private var fresh: Fresh?
    /// Inputs whose pass is over, since the last rest.
    private var finished: [UInt64] = []
    /// The action behind which the last rest was.
    private var settled: UInt64
    /// Called at a rest, once so many actions have been recorded since the last time; nil before somebody asks.
    var onMany: (count: UInt64, body: () -> Void)?
    /// The action at which that happens next.
    private var next: UInt64 = .max

    /// A recorder that goes on behind an action.
    ///
    /// - Parameters:
    ///   - input: the last input that was accepted.
    ///   - effect: the number of the last effect that began.
    ///   - name: what effects and inputs of this journal are named by.
    ///   - take: takes what is handed over.
    ///   - notice: called when there is something to be handed over after a while, by `handOver`.
    init(
        after sequence: UInt64, input: UInt64, effect: UInt64, name: String, epoch: UInt64,
        notice: @escaping @Sendable () -> Void,
        take: @escaping Taker
    ) {
        self.sequence = sequence
        settled = sequence
        self.name = name
        self.epoch = epoch
        self.take = take
        self.notice = notice
        open = Mutex(
            Open(
                batch: JournalBatch(generation: 1, firstSequence: sequence + 1), lastEffect: effect,
                settled: sequence))
        lastInput = Atomic(input)
        roots = Array(repeating: Root(), count: Int(Self.remembered))
    }

    // MARK: - In the drain

    /// The number of the generation that records from here on.
    var generation: Int {
        get { open.withLock { $0.batch.generation } }
        set {
            // What was recorded before belongs to the one before.
            handOver()
            open.withLock { $0.batch.generation = newValue }
        }
    }

    /// Gives the next action its number, and finds what it follows from; called before anybody sees the action.
    @inline(__always)
    func begin(_ cause: ActionCause) -> UInt64 {
        sequence &+= 1
        roots[Int(sequence & (Self.remembered - 1))] = root(of: cause)
        return sequence
    }

    /// What the action with the next number follows from.
    private func root(of cause: ActionCause) -> Root {
        switch cause.kind {
        case .input:
            return Root(
                first: sequence, input: cause.number(notAbove: lastInput.load(ordering: .relaxed)) ?? 0)
        case .unknown, .effect: return Root(first: sequence)
        case .output, .own:
            guard let parent = cause.number(notAbove: sequence - 1), sequence - parent < Self.remembered
            else { return Root(first: sequence) }
            let first = roots[Int(parent & (Self.remembered - 1))].first
            guard first > 0, sequence - first < Self.remembered else { return Root(first: sequence) }
            let place = Int(first & (Self.remembered - 1))
            roots[place].followers += 1
            return Root(first: first, input: roots[place].input, place: roots[place].followers)
        }
    }

    /// Records the action in hand, once the reducers are through with it.
    ///
    /// - Parameters:
    ///   - text: the line that it came as; nil for an action that is none, or was changed.
    ///   - isInput: whether it is the input that its cause names, as it was committed before.
    @inline(__always)
    func record(
        _ dispatched: DispatchedAction<AnyAction>, text: ActionText?, isInput: Bool, time: Double?
    ) {
        if fresh != nil { keepFresh() }
        var line = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        if !isInput, let text, !text.isPayload { unsafe line = text.bytes }
        let length = line.count
        unsafe fresh = Fresh(
            entry: JournalEntry(
                action: isInput || length > 0 ? nil : dispatched.action, lineLength: length,
                source: dispatched.dispatcher, time: time),
            line: line)
    }

    /// Puts what was recorded last under the lock.
    private func keepFresh() {
        let isFirst = open.withLock { open in
            append(to: &open.batch)
            defer { open.isNoticed = true }
            return !open.isNoticed
        }
        if isFirst { notice() }
    }

    /// Appends what was recorded last, if it is not there yet; called under the lock.
    @inline(__always)
    private func append(to batch: inout JournalBatch) {
        guard let fresh = fresh.take() else { return }
        if fresh.entry.lineLength > 0 { unsafe batch.lines.append(contentsOf: fresh.line) }
        batch.entries.append(fresh.entry)
    }

    /// Takes note that a pass is over; of one with an input, that the input is done.
    ///
    /// - Parameter isAtRest: whether nothing waits that follows from what was recorded.
    @inline(__always)
    func finish(_ cause: ActionCause, isAtRest: Bool) {
        if cause.kind == .input { finishInput(cause) }
        if isAtRest { settle() } else if fresh != nil { keepFresh() }
    }

    /// Takes note that an input is done.
    private func finishInput(_ cause: ActionCause) {
        guard let number = cause.number(notAbove: lastInput.load(ordering: .relaxed)) else { return }
        finished.append(number)
    }

    /// Does what there is to do at a rest.
    private func settle() {
        guard fresh != nil || !finished.isEmpty || sequence != settled else { return }
        settled = sequence
        let (isFull, isFirst) = open.withLock { open in
            append(to: &open.batch)
            open.settled = sequence
            if !finished.isEmpty {
                open.batch.done += finished
                finished.removeAll(keepingCapacity: true)
            }
            let isFull =
                open.batch.entries.count >= Self.most.entries || open.batch.lines.count >= Self.most.bytes
            defer { open.isNoticed = true }
            return (isFull, !open.isNoticed)
        }
        if isFull { handOver() } else if isFirst { notice() }
        if sequence >= next, let onMany {
            next = sequence + onMany.count
            onMany.body()
        }
    }

    /// Has something done at the rest after each so many actions.
    func every(_ count: UInt64, _ body: @escaping () -> Void) {
        onMany = (count, body)
        next = sequence + count
    }

    /// What the effects of the action in hand are called that an instance starts.
    ///
    /// Inputs have the same number when they are dispatched again, and their consequences the same order; everything else is
    /// never dispatched again.
    func key(of sequence: UInt64, for instance: String) -> String {
        let root = roots[Int(sequence & (Self.remembered - 1))]
        let origin = root.input == 0 ? "\(epoch)-\(root.first)" : "\(root.input)"
        return "\(name)-\(origin).\(root.place)-\(instance)"
    }

    /// The number of the input that the action with this number follows from; nil for none.
    func input(of sequence: UInt64) -> UInt64? {
        let input = roots[Int(sequence & (Self.remembered - 1))].input
        return input == 0 ? nil : input
    }

    /// The number of the input that an action follows from which has none yet; nil for none.
    func input(thatCaused cause: ActionCause) -> UInt64? {
        switch cause.kind {
        case .input: cause.number(notAbove: lastInput.load(ordering: .relaxed))
        case .output, .own: cause.number(notAbove: sequence).flatMap { input(of: $0) }
        case .unknown, .effect: nil
        }
    }

    // MARK: - From any thread

    /// Numbers for so many inputs that are accepted now; the first of them.
    func numbers(forInputs count: Int) -> UInt64 {
        lastInput.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue + 1
    }

    /// Takes note of inputs that are accepted, to be committed with what is handed over next; callable from any thread.
    func accept(_ inputs: [JournalInput]) {
        open.withLock { $0.batch.inputs += inputs }
    }

    /// Hands over what is settled; callable from any thread.
    ///
    /// - Parameter onCommit: called when it is committed with all before it, or cannot be; also when there is nothing to hand over.
    func handOver(_ onCommit: (@Sendable (JournalFailure?) -> Void)? = nil) {
        // Under the lock, so that what is handed over first was recorded first.
        open.withLock { open in
            open.isNoticed = false
            let batch = open.batch.takeSettled(upTo: open.settled)
            if !batch.isEmpty || onCommit != nil { take(batch, onCommit) }
        }
    }

    /// Takes note of an effect; called in the drain.
    func begin(effectOf instance: String, after sequence: UInt64) -> UInt64 {
        let key = key(of: sequence, for: instance)
        return open.withLock { open in
            open.lastEffect += 1
            open.batch.begun.append(
                JournalEffect(number: open.lastEffect, instance: instance, sequence: sequence, key: key))
            return open.lastEffect
        }
    }

    /// Takes note that an effect is over.
    func end(effect number: UInt64) {
        let isFirst = open.withLock { open in
            open.batch.ended.append(number)
            defer { open.isNoticed = true }
            return !open.isNoticed
        }
        if isFirst { notice() }
    }
}

extension JournalBatch {
    /// Takes everything out that belongs to actions up to one.
    fileprivate mutating func takeSettled(upTo sequence: UInt64) -> JournalBatch {
        let count = sequence + 1 > firstSequence ? Int(sequence + 1 - firstSequence) : 0
        guard count < entries.count || begun.contains(where: { $0.sequence > sequence }) else {
            // Nearly always all of it.
            var rest = JournalBatch(
                generation: generation, firstSequence: firstSequence + UInt64(entries.count))
            // The next one is likely as large.
            rest.entries.reserveCapacity(entries.count)
            rest.lines.reserveCapacity(lines.count)
            swap(&self, &rest)
            return rest
        }
        var taken = JournalBatch(generation: generation, firstSequence: firstSequence)
        (taken.inputs, inputs) = (inputs, [])
        taken.entries = Array(entries[..<count])
        entries.removeFirst(count)
        let length = taken.entries.reduce(0) { $0 + $1.lineLength }
        taken.lines = Array(lines[..<length])
        lines.removeFirst(length)
        firstSequence += UInt64(count)
        (taken.done, done) = (done, [])
        let open = begun.firstIndex { $0.sequence > sequence } ?? begun.endIndex
        taken.begun = Array(begun[..<open])
        begun.removeFirst(open)
        let firstLeft = begun.first?.number ?? .max
        taken.ended = ended.filter { $0 < firstLeft }
        ended.removeAll { $0 < firstLeft }
        return taken
    }
}
