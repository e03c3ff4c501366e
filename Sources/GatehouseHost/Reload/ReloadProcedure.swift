// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Glibc

/// Takes a running host from one plan to the next: compares, rehearses, builds beside what runs, hands over between two actions.
///
/// Whatever goes wrong before the hand-over leaves the running generation as it is. Not thread-safe: one reload at a time, on one
/// thread that is not the drain's.
///
/// `@unchecked Sendable`: `Reloader`, which has the only reference, starts a thread for the next reload when the last one has ended.
public final class ReloadProcedure: @unchecked Sendable {
    /// The host that runs.
    private let core: HostCore
    /// Reads the configuration and judges the libraries; callable from any thread.
    private let read: @Sendable () -> HostPlan
    /// Makes instances.
    private let assembler: Assembler
    /// How long instances that go may take to finish.
    private let grace: Duration
    /// What runs.
    private var running: HostPlan

    /// What ends a reload before anything has changed.
    private struct Refusal: Error {
        /// Why.
        let findings: Findings
    }

    /// A procedure for a host that runs a plan; nil for one whose plugins are linked in.
    ///
    /// - Parameters:
    ///   - grace: how long instances that go may take to finish.
    ///   - read: reads the configuration and judges the libraries; callable from any thread.
    public init?(
        _ host: Host, running: HostPlan, grace: Duration, read: @escaping @Sendable () -> HostPlan
    ) {
        guard let assembler = host.assembler else { return nil }
        core = host.core
        self.running = running.withoutFiles
        self.assembler = assembler
        self.grace = grace
        self.read = read
    }

    /// What would be done; changes nothing, and rehearses nothing.
    func preview() -> (findings: Findings, difference: PlanDifference?) {
        let plan = read()
        guard plan.failure == nil else { return (plan.findings, nil) }
        let difference = PlanDifference(from: running, to: plan)
        return (plan.findings + difference.obstacles, difference)
    }

    /// Does everything.
    ///
    /// - Parameter expected: the number of the generation that is to be replaced; nil for whichever runs.
    func perform(expecting expected: Int?) -> ReloadOutcome {
        let clock = ContinuousClock()
        let start = clock.now
        var held = Duration.zero
        var number = 0
        let outcome = { [self] (result: ReloadOutcome.Result, findings: Findings) in
            ReloadOutcome(
                result: result, generation: number, findings: findings, triggers: [],
                duration: start.duration(to: clock.now), held: held,
                images: MappedImages(assembler.cache, usedBy: running.instances))
        }
        do throws(Refusal) {
            number = try ask { $0.number }
            if let expected, expected != number {
                throw Refusal(
                    findings: Findings([
                        Finding(
                            .error,
                            "expected generation \(expected), found generation \(number); look at it and ask again"
                        )
                    ]))
            }
            let plan = try checked(read())
            let difference = PlanDifference(from: running, to: plan)
            if !difference.obstacles.isEmpty {
                throw Refusal(findings: plan.findings + difference.obstacles)
            }
            guard !difference.isEmpty else {
                running = plan.withoutFiles
                return outcome(.unchanged, plan.findings)
            }
            let copies = try copy(for: difference)
            let tried = try checked(
                Rehearsal(
                    of: plan, takingOver: copies.states.mapValues(\.state), images: assembler.cache, stop: nil
                ).result() ?? plan)
            // What the rehearsal left out changes what there is to do.
            let last = PlanDifference(from: running, to: tried)
            var findings = tried.findings.all.filter { $0.severity != .doubt }
            let swap = try build(last, of: tried, number: number + 1, copies, &findings)
            held = try handOver(swap, from: copies, &findings)
            number += 1
            running = tried.withoutFiles
            core.queue.enqueue { [core, state = tried.configuration.state] in core.configuredState = state }
            return outcome(.applied(last), Findings(findings))
        } catch {
            return outcome(.refused, error.findings)
        }
    }

    /// Lets everybody who looks at `/host` know what became of a reload.
    func note(_ outcome: ReloadOutcome) {
        let value = outcome.json
        core.queue.enqueue { [core, images = outcome.images] in
            (core.lastReload, core.images) = (value, images)
        }
    }

    /// What the operator wrote of what runs.
    var configuration: HostConfiguration { running.configuration }

    // MARK: - Steps

    /// A plan that nothing keeps from starting.
    private func checked(_ plan: HostPlan) throws(Refusal) -> HostPlan {
        if let failure = plan.failure { throw Refusal(findings: failure) }
        return plan
    }

    /// Asks the running generation something in the drain.
    private func ask<Result>(_ question: @escaping (Generation) -> Result) throws(Refusal) -> Result {
        do {
            return try core.between { [core] in question(core.generation) }
        } catch {
            throw Refusal(
                findings: Findings([Finding(.error, "\(error), so that nothing could be changed; ask again")])
            )
        }
    }

    /// What was copied from the running generation at one moment.
    private struct Copies {
        /// The states of those that get another library, by the id in the new plan.
        var states: [String: StateCopy] = [:]
        /// The plain state.
        var plain: Value = .null
        /// What is known of values in it that were slices.
        var kept: [JSONPointer: KeptSlice] = [:]
        /// The types that have routes.
        var types: [ActionType] = []
        /// The chain.
        var links: [ChainLink] = []
        /// The instances by id.
        var instances: [String: Instance] = [:]
        /// What the configuration made of them.
        var planned: [String: PlannedInstance] = [:]
    }

    /// Copies what is needed to build the next generation beside the running one.
    private func copy(for difference: PlanDifference) throws(Refusal) -> Copies {
        let wanted = difference.changes.compactMap { change in
            change.step == .replace(.library)
                ? change.before.map { (old: $0.id, new: change.planned.id) } : nil
        }
        return try ask { generation in
            var copies = Copies()
            copies.links = generation.links
            copies.planned = Dictionary(generation.instances.map { ($0.id, $0.planned) }) { first, _ in first
            }
            copies.instances = Dictionary(generation.instances.map { ($0.id, $0) }) { first, _ in first }
            for (old, new) in wanted {
                copies.states[new] = copies.instances[old].flatMap { StateCopy(of: $0) }
            }
            copies.plain = generation.state.state.plain
            copies.kept = generation.state.state.kept
            copies.types = generation.routes.types
            return copies
        }
    }

    /// Builds the next generation; all problems at once.
    private func build(
        _ difference: PlanDifference, of plan: HostPlan, number: Int, _ copies: Copies,
        _ findings: inout [Finding]
    ) throws(Refusal) -> GenerationSwap {
        let tree = core.state.state
        var plain = copies.plain
        let patch = patch(of: difference, &findings)
        if let patch { plain.merge(patch) }
        var claims = SliceClaims(in: plan.configuration.state)
        var links: [ChainLink] = []
        var adaptations: [GenerationSwap.Adaptation] = []
        var transfers: [StateTransfer] = []
        for change in difference.changes {
            let planned = change.planned
            let old = change.before.flatMap { copies.instances[$0.id] }
            var instance = old
            do throws(Finding) {
                switch change.step {
                case .keep: break
                case .adapt(let parts):
                    guard let old else { break }
                    let gate =
                        parts.contains(.gate)
                        ? InstanceGate(planned.entry, in: tree, report: core.report) : nil
                    adaptations.append(
                        GenerationSwap.Adaptation(instance: old, planned: planned, gate: gate))
                case .replace, .start:
                    let made = try assembler.make(planned, of: plan, in: tree)
                    let transfer = StateTransfer(to: made, of: planned, from: old)
                    try transfer.prepare(copies.states[planned.id], plain: plain, kept: copies.kept)
                    transfers.append(transfer)
                    instance = made
                }
            } catch {
                findings.append(error)
            }
            guard let instance else { continue }
            if !instance.slice.isEmpty, let sentence = claims.claim(planned.entry.slice, for: planned.id) {
                findings.append(planned.fault(at: ["lift", "state"], sentence))
            }
            links.append(ChainLink(instance, as: planned))
        }
        findings += assembler.settleImages()
        let told = Findings(findings)
        if told.isFailure { throw Refusal(findings: told) }
        let next = Generation(links, number: number, in: core)
        next.routes.prepare(for: copies.types)
        let serving = Set(links.map { ObjectIdentifier($0.instance) })
        let before = running.instances.compactMap { copies.instances[$0.id] }
        return GenerationSwap(
            next: next, adaptations: adaptations, new: transfers,
            gone: before.filter { !serving.contains(ObjectIdentifier($0)) }, patch: patch)
    }

    /// What the file changes in the plain state; of what running instances own it counts at the next start only.
    private func patch(of difference: PlanDifference, _ findings: inout [Finding]) -> Value? {
        guard var patch = difference.patch else { return nil }
        for change in difference.changes where change.step != .start {
            guard let slice = change.planned.slice, patch[slice] != nil else { continue }
            patch.set(nil, at: slice)
            findings.append(
                Finding(
                    .warning, instance: change.planned.id,
                    "\"state\" has something else at \(slice) than before, where it keeps its state; that counts at the next start"
                ))
        }
        return patch
    }

    /// Lets the next generation take over, after those that go have let go of what only one can hold.
    ///
    /// - Returns: how long actions were kept waiting by the host.
    private func handOver(
        _ swap: GenerationSwap, from copies: Copies, _ findings: inout [Finding]
    ) throws(Refusal) -> Duration {
        // What cannot be handed over is better known before anybody is asked to end.
        if let finding = try ask({ _ in swap.objection }) { throw Refusal(findings: Findings([finding])) }
        let limit = ContinuousClock.now.advanced(by: grace)
        var held = try end(swap.gone, by: limit)
        let attempt = try perform(swap, after: limit)
        held += attempt.held
        findings += attempt.givenUp
        // Those that ended come back, with a state that nobody has changed since.
        if let finding = attempt.failure { try takeBack(swap, hasRun: false, from: copies, [finding]) }
        let failing = swap.new.compactMap { transfer -> Finding? in
            guard case .failing(let reason) = transfer.instance.status.health else { return nil }
            let sentence = "it says that it is failing when it starts: \(reason)"
            return Finding(.error, instance: transfer.instance.id, sentence)
        }
        if !failing.isEmpty {
            let limit = ContinuousClock.now.advanced(by: grace)
            held += try end(swap.new.map(\.instance), by: limit)
            try takeBack(swap, hasRun: true, from: copies, attempt.givenUp + failing)
        }
        return held
    }

    /// Asks instances to end, and waits until they have, or their time is over.
    private func end(
        _ instances: [Instance], by limit: ContinuousClock.Instant
    ) throws(Refusal) -> Duration {
        guard !instances.isEmpty else { return .zero }
        let held = try ask { generation in ContinuousClock().measure { generation.stop(instances) } }
        waitForEnd(of: instances, by: limit)
        return held
    }

    /// What came of an attempt to hand over.
    private struct Attempt {
        /// Why nothing was handed over; nil when it was.
        var failure: Finding?
        /// How long the host kept actions waiting.
        var held = Duration.zero
        /// Whose effects are given up.
        var givenUp: [Finding] = []
    }

    /// Hands over, if nothing speaks against it at the last moment.
    ///
    /// Those that go still hear what comes until then. What they begin in that time may finish too: its outputs would be lost.
    ///
    /// - Parameter limit: what runs then is given up.
    private func perform(_ swap: GenerationSwap, after limit: ContinuousClock.Instant) throws(Refusal)
        -> Attempt
    {
        let clock = ContinuousClock()
        while true {
            let attempt = try ask { [self] _ -> Attempt? in
                let start = clock.now
                if start < limit, swap.gone.contains(where: { $0.activity.running > 0 }) {
                    for instance in swap.gone { instance.stopEffects() }
                    return nil
                }
                var attempt = Attempt(givenUp: givenUp(of: swap.gone))
                do throws(Finding) { try swap.perform() } catch { attempt.failure = error }
                attempt.held = start.duration(to: clock.now)
                return attempt
            }
            if let attempt { return attempt }
            waitForEnd(of: swap.gone, by: limit)
        }
    }

    /// Lets the generation before run again, with new objects in the place of those that have ended.
    ///
    /// - Parameter hasRun: whether the next generation ran meanwhile, so that the state is with its instances.
    /// - Throws: always: why the next generation does not run.
    private func takeBack(
        _ swap: GenerationSwap, hasRun: Bool, from copies: Copies, _ reasons: [Finding]
    ) throws(Refusal) {
        let tree = core.state.state
        var reasons = reasons
        var transfers: [StateTransfer] = []
        var links: [ChainLink] = []
        for link in copies.links {
            let old = link.instance
            guard let planned = copies.planned[old.id], swap.gone.contains(where: { $0 === old }) else {
                links.append(copies.planned[old.id].map { ChainLink(old, as: $0) } ?? link)
                continue
            }
            do throws(CodingFailure) {
                let fresh = try Instance(
                    planned, exports: old.exports, tree: tree, dependencies: core.dependencies)
                // One of the same image has gone on with the state; another one may have brought it into a form of its own.
                let successor = swap.new.first {
                    hasRun && $0.old === old && $0.instance.exports === old.exports
                }
                transfers.append(
                    StateTransfer(to: fresh, of: planned, from: successor?.instance ?? old))
                links.append(ChainLink(fresh, as: planned))
            } catch {
                reasons.append(planned.fault(at: ["settings"], error))
            }
        }
        let adaptations = swap.adaptations.compactMap { adaptation -> GenerationSwap.Adaptation? in
            copies.planned[adaptation.instance.id].map { planned in
                GenerationSwap.Adaptation(
                    instance: adaptation.instance, planned: planned,
                    gate: adaptation.gate == nil
                        ? nil : InstanceGate(planned.entry, in: tree, report: core.report))
            }
        }
        let back = GenerationSwap(
            next: Generation(links, number: swap.next.number - 1, in: core), adaptations: adaptations,
            new: transfers, gone: swap.new.map(\.instance) + (hasRun ? [] : swap.gone),
            patch: swap.patch == nil ? nil : copies.plain)
        let attempt = try perform(back, after: .now)
        throw Refusal(findings: Findings(reasons + attempt.givenUp + [attempt.failure].compactMap { $0 }))
    }

    /// Waits until instances do nothing any more, or their time is over.
    private func waitForEnd(of instances: [Instance], by limit: ContinuousClock.Instant) {
        while instances.contains(where: { $0.activity.running > 0 }), ContinuousClock.now < limit {
            usleep(1_000)
        }
    }

    /// What instances do that are to go.
    private func givenUp(of instances: [Instance]) -> [Finding] {
        instances.compactMap { instance in
            let count = instance.activity.running
            guard count > 0 else { return nil }
            return Finding(
                .warning, instance: instance.id,
                "\(count) of its effects \(count == 1 ? "was" : "were") still running \(grace.inSeconds) after it was asked to end, and \(count == 1 ? "is" : "are") given up"
            )
        }
    }
}
