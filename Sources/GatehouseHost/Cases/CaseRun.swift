// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import GatehouseTesting

/// One case on a host of its own, whose clocks only the case moves and whose effects run on the calling thread.
///
/// Used from one thread.
final class CaseRun {
    /// What a step had not come to when the time for it was over.
    private enum Overdue: Error {
        /// The end of these effects.
        case effects([UnfinishedWork])
        /// The moment that it moves the clock to; how far it came.
        case clock(Duration)
    }

    /// The case that is run.
    private let tested: TestCase
    /// The host that was made for this case alone.
    private let host: Host
    /// Runs the tasks of effects.
    private let executor: TestExecutor
    /// The clocks of the instances, which all show the same time.
    private let clocks: CaseClocks
    /// What came out since somebody looked.
    private let record: CaseRecord
    /// What the input of the case is called.
    private let source: ActionSource
    /// Turns lines into actions.
    private var taker: ActionTaker
    /// Who heard each action that the step has sent: its type, and the ids of those who hear it.
    private var heard: [(type: String, tokens: [String], by: [String])] = []
    /// How long the effects of one step may take.
    private let limit: Duration
    /// Notices a step that does not come back.
    private let watch: CaseWatch

    /// So long is at most waited before looking again: an effect that ends on a thread of its own tells nobody while others sleep.
    private static let pause: Int32 = 2

    /// Makes the host of a case and starts its instances.
    ///
    /// - Parameter data: the folder of the folders that instances get for their data.
    /// - Throws: why they cannot be made.
    init(
        _ tested: TestCase, of file: String, on plan: HostPlan, images: ImageCache, data: String,
        limit: Duration, watch: CaseWatch
    ) throws(Findings) {
        let executor = TestExecutor()
        let clocks = CaseClocks(plan.instances.map(\.id), start: tested.start.clock)
        let source = ActionSource(file: file, function: "", line: 0, info: nil)
        let record = CaseRecord(input: source)
        let gates = Dictionary(
            tested.start.gates.positions.map { ($0.id, $0.position) }, uniquingKeysWith: { $1 })
        let assembler = Assembler(
            cache: images,
            dependencies: HostDependencies(
                effects: { [effects = tested.effects] id in
                    EffectTerms(
                        clock: clocks.hostClock(of: id),
                        execution: effects[id] == .stubbed ? .stubbed : .preferring(executor))
                }, dataDirectory: data, report: { record.take($0) }))
        // What it shares with the hosts of other cases is the cache of images, which is used on this thread only, because nothing
        // ever reloads it.
        nonisolated(unsafe) let assembly = try assembler.assemble(
            plan.beginning(with: tested.start.state, gates: gates))
        let reports = ReportDesk { record.take($0) }
        taker = ActionTaker(plan.configuration.ingress, reports: reports)
        host = Host(unsafe assembly, reports: reports) { record.take($0) }
        self.tested = tested
        self.executor = executor
        self.clocks = clocks
        self.record = record
        self.source = source
        self.limit = limit
        self.watch = watch
    }

    /// Does what the case says, and gives what came of it.
    func outcome() -> CaseOutcome {
        var outcome = CaseOutcome(name: tested.name, position: tested.place.position(of: .whole))
        let control = host.serve(nil, as: "test")
        defer { withExtendedLifetime(control) {} }
        defer { watch.end() }
        var isOverdue = false
        for step in tested.steps {
            watch.begin { [tested, core = host.core, limit] in
                Self.outcome(of: tested, stuckIn: step, core.busyInstance, limit)
            }
            do throws(Overdue) {
                try perform(step)
            } catch {
                outcome.failures.append(fault(in: step, error))
                isOverdue = true
                break
            }
            outcome.failures += faults(after: step)
        }
        // What an interrupted case has left says nothing.
        if !isOverdue { outcome.failures += faultsAtEnd }
        end()
        outcome.stubbedEffects = host.queue.activity.stubbed
        outcome.log = record.takeLog()
        return outcome
    }

    // MARK: - What is done

    /// Gives the host what a step has for it, and waits for what follows.
    private func perform(_ step: CaseStep) throws(Overdue) {
        let end = ContinuousClock.now + limit
        try settle(by: end)
        for (value, tokens) in step.sends { send(value, at: tokens) }
        try settle(by: end)
        guard let advance = step.advance else { return }
        let target = clocks.now + advance
        while let next = clocks.nextDeadline, next <= target {
            guard ContinuousClock.now < end else { throw .clock(clocks.now) }
            clocks.advance(to: next)
            try settle(by: end)
        }
        clocks.advance(to: target)
    }

    /// Brings the host what a line of input brings.
    private func send(_ value: LocatedValue, at tokens: [String]) {
        let line = Array(value.value.json().utf8)
        let source = source.at(line: UInt(value.position.line))
        host.queue.withExclusiveAccess { host.generation.isReading(source) }
        let outcome = unsafe (line + [UInt8](repeating: 0, count: LineReader.padding))
            .withUnsafeBytes { bytes in
                unsafe taker.take(
                    InputLine(
                        bytes: UnsafeRawBufferPointer(rebasing: bytes[..<line.count]),
                        number: value.position.line))
            }
        switch outcome {
        case .action(let action):
            let type = action.type
            if let ids = host.queue.withExclusiveAccess({ host.generation.listeners(of: type) }) {
                heard.append((type.name, tokens, ids))
            }
            host.dispatch(action, from: source)
        case .refused(let action, let reason):
            record.take(.refusedInput(source: source, type: action.type.name, reason: reason))
        case .rejected(let rejection):
            record.take(
                .rejectedLine(
                    input: source.file, line: value.position.line, column: value.position.column,
                    reason: "\(rejection.reason)"))
        case .blank: break
        }
    }

    /// Waits until all effects have ended, sleep, or go on in the background.
    private func settle(by end: ContinuousClock.Instant) throws(Overdue) {
        while true {
            host.processPosted()
            executor.runAll()
            host.settle()
            let busy = busy
            if busy.isEmpty { return }
            guard ContinuousClock.now < end else { throw .effects(busy) }
            host.idle.wait(atMost: Self.pause)
        }
    }

    /// Whose effects are at work: running, and not asleep until the clock is moved.
    private var busy: [UnfinishedWork] {
        host.queue.withExclusiveAccess {
            var work: [UnfinishedWork] = []
            var held = host.queue.activity.foreground
            for instance in host.generation.instances {
                let activity = instance.activity
                let asleep = clocks.sleepers(of: instance.id)
                held -= activity.foreground
                if activity.foreground > 0, asleep < activity.running {
                    work.append(UnfinishedWork(instance: instance.id, count: activity.running - asleep))
                } else {
                    // What an interceptor holds is let go of by a sleep of its own, which is no effect, or by an effect of its plugin.
                    held -= instance.intercepts ? asleep : max(0, asleep - activity.running)
                }
            }
            return held > 0 ? work + [UnfinishedWork(instance: nil, count: held)] : work
        }
    }

    /// Ends what still runs.
    private func end() {
        host.queue.withExclusiveAccess { host.generation.cancelEffects() }
        executor.runAll()
        host.settle()
    }

    // MARK: - What is looked at

    /// What a step has not come to.
    private func fault(in step: CaseStep, _ overdue: Overdue) -> CaseOutcome.Failure {
        switch overdue {
        case .effects(let work):
            let work = work.map { "\($0.instance ?? "an interceptor"): \($0.count)" }
            return Self.failure(
                step, [],
                "after \(limit.inSeconds) effects had not ended: \(work.joined(separator: ", ")); stub them in \"effects\", or allow more time with --limit"
            )
        case .clock(let time):
            return Self.failure(
                step, [.advance],
                "after \(limit.inSeconds) the clock had come no further than \(time.inSeconds) from the start, because so much happens on the way; advance it less far, or allow more time with --limit"
            )
        }
    }

    /// What came of a case one of whose steps does not come back.
    ///
    /// - Parameter instance: whose code runs in the drain; nil where an effect runs or waits.
    private static func outcome(
        of tested: TestCase, stuckIn step: CaseStep, _ instance: String?, _ limit: Duration
    ) -> CaseOutcome {
        var outcome = CaseOutcome(name: tested.name, position: tested.place.position(of: .whole))
        outcome.failures = [
            failure(
                step, [],
                "after \(limit.inSeconds) \(instance ?? "an effect") had not come back; it runs or waits without an end, and no further case can run"
            )
        ]
        return outcome
    }

    /// What is not as a step expects.
    private func faults(after step: CaseStep) -> [CaseOutcome.Failure] {
        var failures = unheardFaults(of: step)
        if let expect = step.expect, let (sentence, difference) = expect.objection(to: record.takeEmitted()) {
            failures.append(Self.failure(step, [.expect], sentence, difference))
        }
        failures += stateFaults(of: step)
        for (id, position) in step.gates.positions {
            let found = host.queue.withExclusiveAccess {
                host.generation.instances.first { $0.id == id }?.gate.word
            }
            guard let found, found != position.rawValue else { continue }
            failures.append(
                Self.failure(
                    step, [.gates], more: [id],
                    "expected the gate of \(id) to be \(position.rawValue), found it \(found)"))
        }
        let lines = DifferenceLine.align(step.reports ?? [], record.takeReports()) { $1.contains($0) }
        if lines.contains(where: { if case .both = $0 { false } else { true } }) {
            failures.append(
                Self.failure(
                    step, step.reports == nil ? [] : [.reports],
                    step.reports == nil
                        ? "expected no reports of the host, found some; list a part of each in \"reports\""
                        : "expected other reports of the host", lines))
        }
        return failures
    }

    /// What was sent and nobody hears, or somebody does.
    private func unheardFaults(of step: CaseStep) -> [CaseOutcome.Failure] {
        defer { heard = [] }
        return heard.compactMap { type, tokens, ids in
            if step.unheard {
                return ids.isEmpty
                    ? nil
                    : Self.failure(
                        step, [.unheard],
                        "expected nobody to hear \(Quotation.bare(type)), found that it is heard by \(ids.joined(separator: ", "))"
                    )
            }
            guard ids.isEmpty else { return nil }
            return Self.failure(
                step, [], more: tokens,
                "expected somebody to hear \(Quotation.bare(type)), found that no instance does; correct the type, or say \"unheard\": true where that is meant"
            )
        }
    }

    /// What is otherwise in the state.
    private func stateFaults(of step: CaseStep) -> [CaseOutcome.Failure] {
        var lines: [DifferenceLine] = []
        for (pointer, expected) in step.state {
            let found: Value?
            do throws(CodingFailure) {
                found = try host.queue.withExclusiveAccess {
                    Result { () throws(CodingFailure) in try host.generation.state.state.value(at: pointer) }
                }.get()
            } catch {
                return [
                    Self.failure(
                        step, [.state], more: ["\(pointer)"], "the state cannot be written as JSON: \(error)")
                ]
            }
            for difference in Value.differences(
                from: Self.present(expected), to: Self.present(found), at: pointer)
            {
                if let old = difference.old { lines.append(.expected("\(difference.pointer) \(old.json())")) }
                if let new = difference.new { lines.append(.found("\(difference.pointer) \(new.json())")) }
            }
        }
        return lines.isEmpty ? [] : [Self.failure(step, [.state], "expected another state", lines)]
    }

    /// A value, or nil for what counts as nothing.
    private static func present(_ value: Value?) -> Value? { value?.isNull == true ? Value?.none : value }

    /// What came after the last look at actions.
    private var faultsAtEnd: [CaseOutcome.Failure] {
        guard let step = tested.steps.last(where: { $0.expect != nil }) else { return [] }
        let rest = record.takeEmitted()
        return rest.isEmpty
            ? []
            : [
                Self.failure(
                    step, [.expect], "expected no more actions after this, found some",
                    rest.map { .found("\($0)") })
            ]
    }

    /// A failure at a part of a step.
    private static func failure(
        _ step: CaseStep, _ keys: [CaseStep.Key], more tokens: [String] = [], _ sentence: String,
        _ difference: [DifferenceLine] = []
    ) -> CaseOutcome.Failure {
        CaseOutcome.Failure(
            finding: step.place.finding(at: keys.map(\.rawValue) + tokens, isKey: !keys.isEmpty, sentence),
            difference: difference)
    }
}
