// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// A host on which past actions are tried, and which logs their consequences; its effects do not run.
///
/// Used from one thread.
final class TriedHost: TrialSide {
    /// The host; its instances have the state, and nothing was emitted.
    let host: Host
    /// The collected reports.
    let reports: PastReports
    /// The clock of the host.
    private let clock: PastClock
    /// The data folder of instances; removed with this object.
    private let folder: ScratchFolder
    /// The collected actions.
    private let record: Record
    /// Whether an action needs no turn, because nobody is asked about it and all that follows is done on this thread.
    private let takesAtOnce: Bool
    /// Parses recorded actions.
    private var lines = RecordedLines()
    /// The source of the last action, with its texts: most come from the same place, and to look that up takes longer than to compare.
    private var lastSource: (file: String, instance: String?, source: ActionSource)?
    /// How many effects had begun before the step in hand; nil where none is.
    private var effects: Int?

    /// The consequences of the current action; touched by the draining thread, which is the one that dispatches.
    private final class Record: Sendable {
        /// The progress of the current action.
        struct Content {
            /// Takes the consequences.
            var log = ConsequenceLog()
            /// When the recorded consequences of the current action were.
            var expected: [PastStep.Moment?] = []
            /// Whether actions are collected.
            var isOn = false
            /// Whether the current action itself is yet to be seen.
            var isRootNext = false
            /// The source of the last consequence, and the instance that emitted it.
            var last: (source: ActionSource, instance: String?)?

            /// Returns the instance that a source names; looks it up only where it is not the one before.
            mutating func instance(of source: ActionSource) -> String? {
                if let last, last.source.hasSameOrigin(as: source) { return last.instance }
                let instance = source.instance
                last = (source, instance)
                return instance
            }
        }

        /// The host's clock; set once it exists.
        let clock = Mutex<PastClock?>(nil)
        /// The guarded content.
        let content = Mutex(Content())

        /// Records an output that leaves the store, unless nothing is collected.
        func take(departing output: DispatchedAction<AnyAction>) {
            content.withLock { content in
                guard content.isOn else { return }
                content.log.append(output.action, by: output.dispatcher.instance)
            }
        }

        /// Records an action about to be processed, and sets the clock to when it was processed then.
        func take(_ dispatched: DispatchedAction<AnyAction>) {
            let moment = content.withLock { content -> Double? in
                guard content.isOn else { return nil }
                if content.isRootNext {
                    content.isRootNext = false
                    return nil
                }
                let place = content.log.open
                let instance = content.instance(of: dispatched.dispatcher)
                content.log.append(dispatched.action, by: instance)
                guard place < content.expected.count, let moment = content.expected[place],
                    moment.type == dispatched.action.type.name
                else { return nil }
                return moment.time
            }
            if let moment { clock.withLock { $0 }?.now = moment }
        }
    }

    /// Records the outputs that leave the store, and lets nothing else happen to them.
    private final class Departures: OutputRoute {
        /// Says which outputs leave.
        private let route: any OutputRoute
        /// Takes them.
        private let record: Record

        /// Records what a route takes.
        init(_ route: any OutputRoute, in record: Record) { (self.route, self.record) = (route, record) }

        func take(_ output: DispatchedAction<AnyAction>) -> Bool {
            guard route.take(output) else { return false }
            record.take(departing: output)
            return true
        }
    }

    /// Creates a host that takes over from another one, as at a reload.
    ///
    /// - Parameters:
    ///   - recorder: where others find which action the host has in hand; nil where nobody looks.
    ///   - lane: its place there, as that of a partition, where another host works at the same time; nil for the host's own.
    ///   - route: takes the outputs that leave the store; nil where none do.
    /// - Throws: why it cannot take over.
    init(
        _ plan: HostPlan, at place: PastWalk.Place, images: ImageCache, recorder: FlightRecorder? = nil,
        lane: Int? = nil, leavingBy route: (any OutputRoute)? = nil
    ) throws(PastFailure) {
        let record = Record()
        let clock = PastClock()
        let reports = PastReports()
        folder = try PastFailure.scratchFolder()
        let reporter = Reporter { reports.add($0) }
        let assembler = Assembler(
            cache: images,
            dependencies: .past(
                at: clock, dataDirectory: folder.path,
                progress: recorder.map { RunProgress(in: $0, partition: lane) } ?? RunProgress()
            ) { reporter.send($0) })
        do throws(Diagnostics) {
            // It shares only the image cache with other hosts, which is used on this thread only: nothing reloads here.
            nonisolated(unsafe) let assembly = try assembler.assemble(
                plan, restoring: place.sequence == 0 && place.record == nil ? nil : place.state,
                leavingUnread: true)
            host = Host(
                unsafe assembly, by: DirectAdmission(elsewhere: route.map { Departures($0, in: record) }),
                starts: false, reports: reporter
            ) { record.take($0) }
        } catch {
            throw .diagnostics(error)
        }
        record.clock.withLock { [clock] in $0 = clock }
        self.record = record
        self.clock = clock
        self.reports = reports
        takesAtOnce = host.turn { turn in
            turn.startSilently()
            return turn.instances.allSatisfy { !$0.intercepts && $0.worker == nil }
        }
        reports.clear()
        // Recorded requests to reload do nothing now.
        host.onReload {}
    }

    // MARK: - Past actions

    func swapLog(_ log: inout ConsequenceLog) {
        closeStep()
        log.removeAll()
        record.content.withLock { swap(&$0.log, &log) }
    }

    /// Processes a past action with all its consequences, which are in the log when the next one begins, or the log is exchanged.
    func dispatch(_ step: PastStep) {
        guard step.root.encodingFailure == nil, let action = lines.action(step.root.bytes) else {
            closeStep()
            note(step)
            if step.root.encodingFailure != nil { return reduce(step.consequences) }
            return record.content.withLock { $0.log.finish() }
        }
        let source = source(of: step.root)
        if takesAtOnce, step.changesBefore.isEmpty {
            closeStep()
            note(step)
            expect(step)
            host.dispatch(action, from: source)
            return endStep()
        }
        let changes = step.changesBefore.compactMap { replayed($0) }
        let begin = { [self] (turn: Turn) in
            note(step)
            expect(step)
            for change in changes { turn.replay(change) }
            turn.processPast(DispatchedAction(action, dispatcher: source))
        }
        // Nearly always all is done that followed from the step before, which ends here: to wait for that takes another turn.
        let isBegun = host.turn { turn in
            guard turn.isAtRest else { return false }
            endStep()
            begin(turn)
            return true
        }
        guard !isBegun else { return }
        closeStep()
        host.turn(begin)
    }

    func dispatch(_ step: PastStep, watching watch: @escaping (Bool) -> Void) {
        closeStep()
        host.turn { $0.watchNext(watch) }
        dispatch(step)
        closeStep()
    }

    /// Returns where an action comes from.
    private func source(of record: JournalRecord) -> ActionSource {
        if let last = lastSource, last.file == record.file, last.instance == record.instance {
            return last.source.at(line: record.line)
        }
        let source = ActionSource(
            file: record.file, function: "", line: record.line, info: record.instance)
        lastSource = (record.file, record.instance, source)
        return source
    }

    /// Begins to collect what follows from a step.
    private func expect(_ step: PastStep) {
        record.content.withLock { content in
            content.expected = step.moments
            (content.isOn, content.isRootNext) = (true, true)
        }
        effects = host.queue.activity.stubbed
    }

    /// Says when and where what follows happens.
    private func note(_ step: PastStep) {
        // For the flight recorder, which would otherwise count the actions of this host.
        host.progress.note(input: step.root.sequence)
        clock.now = step.root.moment
    }

    /// Waits until all is done that follows from the step in hand, and ends it.
    private func closeStep() {
        guard effects != nil else { return }
        host.settle()
        endStep()
    }

    /// Ends the step in hand, if there is one, from which nothing more follows.
    private func endStep() {
        guard let before = effects else { return }
        effects = nil
        let begun = host.queue.activity.stubbed - before
        record.content.withLock { content in
            content.isOn = false
            content.expected = []
            content.log.finish(effects: begun)
        }
    }

    /// Reduces past actions of unknown cause, which follow unchanged.
    private func reduce(_ entries: [JournalRecord]) {
        let actions = entries.compactMap { replayed($0) }
        host.turn { turn in
            for action in actions { turn.replay(action) }
        }
        record.content.withLock { content in
            for entry in entries { content.log.append(entry) }
            content.log.finish()
        }
    }

    /// Prepares an action for the reducers; nil for one recorded without its payload.
    private func replayed(_ entry: JournalRecord) -> ReplayedAction? {
        guard entry.encodingFailure == nil, let action = lines.action(entry.bytes) else { return nil }
        var owner: String?
        if case .own = entry.cause { owner = entry.instance }
        return ReplayedAction(
            action: action, time: entry.moment, owner: owner, sequence: entry.sequence)
    }

    // MARK: - Hearing

    /// Lets nothing follow from here on, and logs what an instance would emit.
    func listen(to instance: String) {
        host.turn { turn in
            for one in turn.instances {
                one.outlet.divert { [record, id = one.id] output in
                    guard id == instance else { return }
                    record.content.withLock { $0.log.append(output.action, by: id) }
                }
            }
        }
    }

    /// Hears recorded actions one after the other, as they went by all interceptors, and logs what follows from each.
    func hear(_ row: [JournalRecord], filling log: inout ConsequenceLog) {
        for entry in row {
            host.progress.note(input: entry.sequence)
            clock.now = entry.moment
            let before = host.queue.activity.stubbed
            if let past = replayed(entry) {
                host.turn { turn in
                    guard past.owner == nil else { return turn.replay(past) }
                    let source = ActionSource(
                        file: entry.file, function: "", line: entry.line, info: entry.instance)
                    turn.processPast(DispatchedAction(past.action, dispatcher: source))
                }
                host.settle()
            }
            let effects = host.queue.activity.stubbed - before
            record.content.withLock { $0.log.finish(effects: effects) }
        }
        swapLog(&log)
    }

    // MARK: - Afterwards

    func state(after sequence: UInt64) throws(PastFailure) -> Value {
        closeStep()
        do throws(CodingFailure) {
            return try host.snapshot()
        } catch {
            throw .diagnostics(Diagnostics(error: "the state cannot be written as JSON: \(error)"))
        }
    }
}
