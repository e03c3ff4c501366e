// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Runs one case on its own host.
///
/// Used from one thread.
final class CaseRun {
    /// The case.
    private let tested: TestCase
    /// The host made for this case alone, with its clocks and effects.
    private let stage: CaseHost
    /// The actions that the step has sent: the type, and the ids of the instances that hear it.
    private var heard: [(type: String, tokens: [String], by: [String])] = []
    /// How long the effects of one step may take.
    private let limit: Duration
    /// Detects a step that does not return.
    private let watch: CaseWatch<CaseOutcome>
    /// The ids of the instances that run in workers.
    private let workers: [String]

    /// Makes the host of a case and starts its instances.
    ///
    /// - Parameters:
    ///   - plan: says which instances run in workers.
    ///   - data: the parent of the data folders that instances get.
    /// - Throws: why the instances cannot be made.
    init(
        _ tested: TestCase, of file: String, on plan: HostPlan, images: ImageCache, data: String,
        limit: Duration, watch: CaseWatch<CaseOutcome>
    ) throws(Diagnostics) {
        let gates = Dictionary(
            tested.start.gates.all.map { ($0.id, $0.choice) }, uniquingKeysWith: { $1 })
        stage = try CaseHost(
            plan.beginning(with: tested.start.state, gates: gates), readFrom: file, clock: tested.start.clock,
            effects: tested.effects, images: images, data: data, startsWorkers: true)
        self.tested = tested
        workers = plan.instances.filter(\.runsInWorker).map(\.id)
        self.limit = limit
        self.watch = watch
    }

    /// Runs the case, and returns the outcome.
    func outcome() -> CaseOutcome {
        var outcome = CaseOutcome(name: tested.name, position: tested.place.position(of: .whole))
        let control = stage.host.serve(nil, as: "test", keepsHour: false)
        defer { withExtendedLifetime(control) {} }
        defer { watch.end() }
        var isOverdue = false
        for step in tested.steps {
            watch.begin { [tested, core = stage.host.store, limit] in
                Self.outcome(of: tested, stuckIn: step, core.busyInstance, limit)
            }
            do throws(CaseHost.Overdue) {
                try perform(step)
            } catch {
                outcome.failures.append(fault(in: step, error))
                isOverdue = true
                break
            }
            outcome.failures += faults(after: step)
        }
        // The leftovers of an interrupted case mean nothing.
        if !isOverdue { outcome.failures += faultsAtEnd }
        stage.end()
        outcome.stubbedEffects = stage.host.queue.activity.stubbed
        outcome.log = stage.record.takeAll(\.log).map { "\($0)" }
        return outcome
    }

    // MARK: - What is done

    /// Performs a step's input on the host, and waits for the consequences.
    private func perform(_ step: CaseStep) throws(CaseHost.Overdue) {
        let end = ContinuousClock.now + limit
        try stage.settle(by: end)
        for (value, tokens) in step.sends {
            let position = value.position
            if let sent = stage.send(value.value, line: position.line, column: position.column) {
                heard.append((sent.type, tokens, sent.listeners))
            }
        }
        try stage.settle(by: end)
        if let advance = step.advance { try stage.advance(by: advance, within: end) }
    }

    // MARK: - What is looked at

    /// Describes the events that a step did not reach.
    private func fault(in step: CaseStep, _ overdue: CaseHost.Overdue) -> CaseOutcome.Failure {
        switch overdue {
        case .effects(let work):
            let isElsewhere = work.contains { $0.instance.map(workers.contains) ?? false }
            let work = work.map { "\($0.instance ?? "an interceptor"): \($0.count)" }
            let advice = isElsewhere ? "in a worker they sleep in real time, so " : ""
            return Self.failure(
                step, [],
                "after \(limit.inSeconds) effects had not ended: \(work.joined(separator: ", ")); \(advice)stub them in \"effects\", or allow more time with --limit"
            )
        case .clock(let time):
            return Self.failure(
                step, [.advance],
                "after \(limit.inSeconds) the clock had only reached \(time.inSeconds) from the start, because so much happens on the way; advance it by less, or allow more time with --limit"
            )
        }
    }

    /// Returns the outcome of a case with a step that does not return.
    ///
    /// - Parameter instance: the instance running in the drain; nil where an effect runs or waits.
    private static func outcome(
        of tested: TestCase, stuckIn step: CaseStep, _ instance: String?, _ limit: Duration
    ) -> CaseOutcome {
        var outcome = CaseOutcome(name: tested.name, position: tested.place.position(of: .whole))
        outcome.failures = [
            failure(
                step, [],
                "after \(limit.inSeconds) \(instance ?? "an effect") had not returned; it runs or waits forever, and no further case can run"
            )
        ]
        return outcome
    }

    /// Returns the failed expectations of a step.
    private func faults(after step: CaseStep) -> [CaseOutcome.Failure] {
        var failures = unheardFaults(of: step)
        if let expect = step.expect,
            let (sentence, difference) = expect.objection(to: stage.record.takeAll(\.emitted))
        {
            failures.append(Self.failure(step, [.expect], sentence, difference))
        }
        failures += stateFaults(of: step)
        for (id, position) in step.gates.all {
            let found = stage.host.turn { $0.instances.first { $0.id == id }?.gate.word }
            guard let found, found != position.rawValue else { continue }
            failures.append(
                Self.failure(
                    step, [.gates], more: [id],
                    "expected the gate of \(id) to be \(position.rawValue), found it \(found)"))
        }
        let lines = DifferenceLine.align(
            step.reports ?? [], stage.record.takeAll(\.reports).map(\.description)
        ) { $1.contains($0) }
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

    /// Returns failures about sent actions that nobody hears, or that somebody hears.
    private func unheardFaults(of step: CaseStep) -> [CaseOutcome.Failure] {
        defer { heard = [] }
        return heard.compactMap { type, tokens, ids in
            guard ids.isEmpty != step.unheard else { return nil }
            return step.unheard
                ? Self.failure(
                    step, [.unheard],
                    "expected nobody to hear \(Quotation.bare(type)), found that it is heard by \(ids.joined(separator: ", "))"
                )
                : Self.failure(
                    step, [], more: tokens,
                    "expected somebody to hear \(Quotation.bare(type)), found that no instance does; correct the type, or say \"unheard\": true where that is meant"
                )
        }
    }

    /// Returns the differences in the state.
    private func stateFaults(of step: CaseStep) -> [CaseOutcome.Failure] {
        var lines: [DifferenceLine] = []
        for (pointer, expected) in step.state {
            let found: Value?
            do throws(CodingFailure) {
                found = try stage.host.turn { turn throws(CodingFailure) in
                    try turn.state.value(at: pointer)
                }
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

    /// Returns the value, or nil where it counts as nothing.
    private static func present(_ value: Value?) -> Value? { value?.isNull == true ? Value?.none : value }

    /// Failures about actions after the last look at them.
    private var faultsAtEnd: [CaseOutcome.Failure] {
        guard let step = tested.steps.last(where: { $0.expect != nil }) else { return [] }
        let rest = stage.record.takeAll(\.emitted)
        guard !rest.isEmpty else { return [] }
        let sentence = "expected no more actions after this, found some"
        return [Self.failure(step, [.expect], sentence, rest.map { .found("\($0)") })]
    }

    /// Creates a failure at a part of a step.
    private static func failure(
        _ step: CaseStep, _ keys: [CaseStep.Key], more tokens: [String] = [], _ sentence: String,
        _ difference: [DifferenceLine] = []
    ) -> CaseOutcome.Failure {
        CaseOutcome.Failure(
            diagnostic: step.place.diagnostic(
                at: keys.map(\.rawValue) + tokens, isKey: !keys.isEmpty, sentence),
            difference: difference)
    }
}
