// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseRuntime
internal import GatehouseSDK
package import GatehouseSupport

/// Takes a running host from one plan to the next: compares, rehearses, builds, hands over between two actions.
///
/// A failure before the hand-over leaves the running generation unchanged. Not thread-safe: one reload at a time, on one thread that
/// is not the drain's.
///
/// `@unchecked Sendable`: `Reloader`, which has the only reference, starts a thread for the next reload when the last one has ended.
package final class ReloadProcedure: @unchecked Sendable {
    /// The running host.
    private let core: HostStore
    /// Reads the configuration and judges the libraries, as if the one with the given digest were not in quarantine; callable from
    /// any thread.
    private let read: @Sendable (String?) -> HostPlan
    /// Makes the new instances.
    private let assembler: Assembler
    /// How long removed instances may take to finish.
    private let grace: Duration
    /// Where a child finds the past to try plans on; nil for a host without a journal.
    private let history: HistorySource?
    /// Records the generations and their images; nil for a host without a journal.
    private let journal: HostJournal?
    /// Runs the rest of the plan; nil for a host that runs all of it.
    private let member: (any PlanFollower)?
    /// The shadows of the instances.
    let shadows: Shadows
    /// The plan of the running generation.
    private var running: HostPlan { didSet { onConfiguration?(running.configuration) } }
    /// Told the configuration of each generation, and of a reload that changed nothing, before its outcome; on the thread of the
    /// reload.
    package var onConfiguration: (@Sendable (HostConfiguration) -> Void)?

    /// Creates a procedure for a host that runs a plan; nil for one whose plugins are linked in.
    ///
    /// - Parameters:
    ///   - member: runs the rest of the plan; nil where there is none.
    ///   - grace: how long removed instances may take to finish.
    ///   - history: where a child finds the past to try plans on; nil for a host without a journal.
    ///   - shadows: follow each generation.
    ///   - read: reads the configuration and judges the libraries, as if the one with the given digest were not in quarantine;
    ///     callable from any thread.
    package init?(
        _ host: Host, in member: (any PlanFollower)?, running: HostPlan, grace: Duration,
        history: HistorySource?, shadows: Shadows, read: @escaping @Sendable (String?) -> HostPlan
    ) {
        guard let assembler = host.assembler else { return nil }
        core = host.store
        journal = host.journal
        self.member = member
        self.running = running.withoutFiles
        self.assembler = assembler
        self.grace = grace
        self.history = history
        self.shadows = shadows
        self.read = read
    }

    /// Returns what a reload would do; changes nothing, and rehearses nothing.
    func preview() -> (diagnostics: Diagnostics, difference: PlanDifference?) {
        let plan = steadfast(read(nil))
        guard plan.failure == nil else { return (plan.diagnostics, nil) }
        let difference = PlanDifference(from: running, to: plan)
        return (plan.diagnostics + difference.obstacles, difference)
    }

    /// Performs a reload.
    ///
    /// - Parameters:
    ///   - expected: the number of the generation to replace; nil for any.
    ///   - trial: how to try the reload on the past first; nil for no trial.
    ///   - released: the library that the reload releases from quarantine, with what its instances have caught up with; nil for none.
    ///   - check: refuses a plan; nil for one that accepts all.
    func perform(
        expecting expected: Int?, trying trial: HistoryTrial? = nil,
        releasing released: CatchUp.Outcome? = nil,
        checking check: ((HostPlan) throws(Diagnostics) -> Void)? = nil
    ) -> ReloadOutcome {
        let clock = ContinuousClock()
        let start = clock.now
        defer { released?.end(in: core) }
        var held = Duration.zero
        var number = 0
        let outcome = { [self] (result: ReloadOutcome.Result, diagnostics: Diagnostics) in
            ReloadOutcome(
                result: result, generation: number, diagnostics: diagnostics, triggers: [],
                duration: start.duration(to: clock.now), held: held,
                images: MappedImages(assembler.cache, usedBy: running.instances))
        }
        do throws(Diagnostics) {
            number = try core.ask { $0.number }
            if let expected, expected != number {
                throw Diagnostics(
                    error:
                        "expected generation \(expected), found generation \(number); look at it and ask again"
                )
            }
            let plan = try checked(steadfast(read(released?.digest)))
            try check?(plan)
            let difference = PlanDifference(from: running, to: plan)
            if !difference.obstacles.isEmpty { throw plan.diagnostics + difference.obstacles }
            guard !difference.isEmpty else {
                running = plan.withoutFiles
                noteSoundConfiguration()
                return outcome(.unchanged, plan.diagnostics + remembered(plan))
            }
            try member?.takeTurn()
            defer { member?.endTurn() }
            let copy = try core.ask { RunningCopy(in: $0, for: difference) }
            let states = copy.states.mapValues(\.state)
                .merging(copy.waiting(for: difference)) { own, _ in own }
                .merging(member?.states(for: difference) ?? [:]) { own, _ in own }
            let tried = try checked(
                Rehearsal(of: plan, takingOver: states, images: assembler.cache, stop: nil).result() ?? plan)
            // Instances left out by the rehearsal change the difference.
            let whole = PlanDifference(from: running, to: tried)
            guard !whole.isEmpty else {
                running = tried.withoutFiles
                noteSoundConfiguration()
                return outcome(.unchanged, tried.diagnostics + remembered(tried))
            }
            let last = member == nil ? whole : PlanDifference(from: own(running), to: own(tried))
            var diagnostics = tried.diagnostics.all.filter { $0.severity != .doubt }
            if let trial { diagnostics += try rehearse(trial, tried) }
            let next = keep(tried, &diagnostics)
            let swap = try build(
                last, of: tried, as: next, number: number + 1, copy, releasing: released, &diagnostics)
            let done = try handOver(swap, copy)
            held = done.held
            diagnostics += done.givenUp
            diagnostics += remembered(tried)
            diagnostics += released?.diagnostics ?? []
            number += 1
            running = tried.withoutFiles
            shadows.follow(running)
            member?.follow(tried)
            noteSoundConfiguration()
            return outcome(.applied(whole), Diagnostics(diagnostics))
        } catch {
            return outcome(.refused, error)
        }
    }

    /// Returns what the host is, for a trial of a candidate.
    ///
    /// - Throws: that it keeps no journal, or has ended.
    func ground() throws(Diagnostics) -> CandidateGround {
        guard let history else {
            throw Diagnostics(
                error:
                    "the host keeps no journal, so there is no history to try a candidate on; add \"journal\", or check it with gatehouse check and gatehouse test"
            )
        }
        let bytes =
            history.isFolder ? nil : try? SystemFile.bytes(of: history.path, limit: 64 << 20)
        return CandidateGround(
            generation: try core.ask { $0.number }, running: running, present: read(nil).withoutFiles,
            configurationDigest: bytes.map { SHA256.digest($0).hex }, source: history)
    }

    /// How long one step of a trial may take.
    var patience: Duration { .seconds(running.configuration.limits.rehearsal) }

    /// Lets the instances of a quarantined library reduce what they missed; the reload that is given the outcome takes them in.
    ///
    /// - Throws: why that is impossible; the quarantine continues.
    func catchUp(_ digest: String) throws(Diagnostics) -> CatchUp.Outcome {
        guard let history else {
            throw Diagnostics(
                error:
                    "the host keeps no journal, so it is unknown what was missed; release it without --catch-up"
            )
        }
        return try CatchUp(
            core: core, source: history, plan: running,
            limit: .seconds(running.configuration.limits.rehearsal)
        ).perform(for: digest)
    }

    /// Publishes the outcome of a reload at `/host`.
    package func note(_ outcome: ReloadOutcome) {
        let value = outcome.json
        core.queue.enqueue { [core, images = outcome.images] in
            (core.configuration.lastReload, core.configuration.images) = (value, images)
        }
    }

    /// Records that the last good generation runs, because the configuration was refused at the start.
    package func noteRefusedStart(_ diagnostics: Diagnostics, _ sentence: String) {
        note(
            ReloadOutcome(
                result: .refused, generation: 1, diagnostics: diagnostics, triggers: [], duration: .zero,
                held: .zero, images: MappedImages(assembler.cache, usedBy: running.instances)))
        core.queue.enqueue { [core] in core.configuration.degraded = sentence }
    }

    /// Records that what the operator has written runs.
    private func noteSoundConfiguration() {
        core.queue.enqueue { [core] in core.configuration.degraded = nil }
    }

    /// The running configuration as the operator wrote it.
    package var configuration: HostConfiguration { running.configuration }

    // MARK: - Steps

    /// Tries a plan on the past; returns diagnostics for the operator.
    ///
    /// - Throws: why the reload is refused.
    private func rehearse(_ trial: HistoryTrial, _ plan: HostPlan) throws(Diagnostics) -> [Diagnostic] {
        guard let history else {
            throw Diagnostics(
                error:
                    "the host keeps no journal, so there is no history to rehearse with; add \"journal\", or reload without it"
            )
        }
        return try HistoryRehearsal(
            core: core, source: history, plan: plan, running: running.instances, trial: trial,
            limit: .seconds(plan.configuration.limits.rehearsal)
        ).diagnostics()
    }

    /// Keeps the images of a plan beside the journal, and returns the plan in recorded form; nil for a host without a journal.
    private func keep(_ plan: HostPlan, _ diagnostics: inout [Diagnostic]) -> RecordedPlan? {
        guard let journal else { return nil }
        diagnostics += journal.keepImages(of: plan, beside: running)
        return RecordedPlan(plan)
    }

    /// Remembers the signatures of what runs; returns a warning where that fails.
    private func remembered(_ plan: HostPlan) -> [Diagnostic] {
        plan.rememberSignatures().map { [Diagnostic(.warning, $0)] } ?? []
    }

    /// Returns a plan, with an error where its `trust` accepts more than that of the running host.
    private func steadfast(_ plan: HostPlan) -> HostPlan {
        // Of a file that cannot be read nobody knows what it says.
        guard plan.configuration.place != nil || plan.failure == nil else { return plan }
        return plan.refusingLooserTrust(than: running.configuration.trust)
    }

    /// Returns the host's own part of a plan.
    private func own(_ plan: HostPlan) -> HostPlan { member == nil ? plan : plan.members(of: [.host]) }

    /// Returns a plan if it can start.
    private func checked(_ plan: HostPlan) throws(Diagnostics) -> HostPlan {
        if let failure = plan.failure { throw failure }
        return plan
    }

    /// Builds the next generation; reports all problems at once.
    private func build(
        _ difference: PlanDifference, of plan: HostPlan, as recorded: RecordedPlan?, number: Int,
        _ copy: RunningCopy, releasing released: CatchUp.Outcome?, _ diagnostics: inout [Diagnostic]
    ) throws(Diagnostics) -> GenerationSwap {
        let tree = core.state.state
        var plain = copy.plain
        let patch = patch(of: difference, &diagnostics)
        if let patch { plain.merge(patch) }
        var claims = SliceClaims(in: plan.configuration.state)
        var links: [ChainLink] = []
        var adaptations: [GenerationSwap.Adaptation] = []
        var transfers: [StateTransfer] = []
        var standing: [String: Standing] = [:]
        let waiting = copy.waiting(for: difference)
        let workers = assembler.launchWorkers(for: difference.begun, of: plan)
        for change in difference.changes {
            let planned = change.planned
            let old = change.before.flatMap { copy.instances[$0.id] }
            var instance = old
            do throws(Diagnostic) {
                switch change.step {
                case .keep: break
                case .adapt(let parts):
                    guard let old else { break }
                    // A change of what happens to effects on closing does not move the gate.
                    let gate =
                        parts.contains(.gate) && planned.entry.gate != change.before?.entry.gate
                        ? InstanceGate(planned, in: tree, report: core.dependencies.report) : nil
                    adaptations.append(
                        GenerationSwap.Adaptation(instance: old, planned: planned, gate: gate))
                case .replace, .start:
                    let stood = old.flatMap { copy.standing[$0.id] }
                    let made = try assembler.make(
                        planned, of: plan, in: tree,
                        standing: StandingInstance(
                            planned, on: copy.states[planned.id]?.state ?? waiting[planned.id],
                            as: stood ?? Standing(at: copy.sequence)), worker: workers[planned.id])
                    let transfer = StateTransfer(to: made, of: planned, from: old)
                    if made.standing == nil, let caughtUp = released?.instances[planned.id] {
                        try transfer.prepare(caughtUp)
                    } else {
                        if made.standing == nil, let diagnostic = stood?.skipped(by: planned) {
                            diagnostics.append(diagnostic)
                        }
                        try transfer.prepare(copy.states[planned.id], plain: plain, kept: copy.kept)
                    }
                    transfers.append(transfer)
                    instance = made
                }
            } catch {
                diagnostics.append(error)
            }
            guard let instance else { continue }
            if planned.quarantine != nil {
                standing[planned.id] =
                    old.flatMap { copy.standing[$0.id] } ?? Standing(at: copy.sequence)
            }
            if !instance.slice.isEmpty, let sentence = claims.claim(planned.entry.slice, for: planned.id) {
                diagnostics.append(planned.fault(at: ["lift", "state"], sentence))
            }
            links.append(ChainLink(instance, as: planned))
        }
        diagnostics += assembler.settleImages()
        diagnostics += Standing.followers(of: plan.instances, standing: standing)
        let told = Diagnostics(diagnostics)
        if told.isFailure {
            for worker in workers.values { worker.end() }
            throw told
        }
        let serving = Set(links.map { ObjectIdentifier($0.instance) })
        let before = own(running).instances.compactMap { copy.instances[$0.id] }
        let swap = GenerationSwap(
            to: links, number: number, in: core, adaptations: adaptations, new: transfers,
            gone: before.filter { !serving.contains(ObjectIdentifier($0)) },
            configured: plan.configuration.state, patch: patch, plan: recorded)
        swap.prepareRoutes(for: copy.types)
        return swap
    }

    /// Lets the next generation take over.
    ///
    /// - Throws: why it does not run; the running one runs again then, also after a crash.
    private func handOver(_ swap: GenerationSwap, _ copy: RunningCopy) throws(Diagnostics) -> HandOver.Attempt
    {
        do throws(Diagnostics) {
            return try HandOver(
                swap: swap, copy: copy, plan: journal == nil ? nil : RecordedPlan(running), core: core,
                grace: grace
            ).perform()
        } catch {
            // The host itself reports that nothing can be written.
            try? journal?.commit()
            throw error
        }
    }

    /// Returns the file's change of the plain state; where running instances own state, it applies at the next start only.
    private func patch(of difference: PlanDifference, _ diagnostics: inout [Diagnostic]) -> Value? {
        guard var patch = difference.patch else { return nil }
        for change in difference.changes where change.step != .start {
            guard let slice = change.planned.slice, patch[slice] != nil else { continue }
            patch.set(nil, at: slice)
            diagnostics.append(
                Diagnostic(
                    .warning, instance: change.planned.id,
                    "\"state\" has something else at \(slice) than before, where it keeps its state; that counts at the next start"
                ))
        }
        return patch
    }
}

extension HostStore {
    /// Has a turn in the drain, on behalf of a reload.
    ///
    /// - Parameter limit: how long the drain may take to come to it; nil for the patience of the store.
    func ask<Result>(
        within limit: Duration? = nil, _ question: @escaping (Turn) -> Result
    ) throws(Diagnostics) -> Result {
        let answer: Result?
        do {
            answer = try between(limit) { [self] in turn.map(question) }
        } catch {
            throw Diagnostics(error: "\(error), so that nothing could be changed; ask again")
        }
        guard let answer else { throw Diagnostics(error: "the host has ended") }
        return answer
    }
}
