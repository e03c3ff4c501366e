// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Lets the next generation take over from the running one, or the running one run on.
///
/// Those that go end first, so that a port or a file is free; a next generation that cannot run gives everything back. Used once,
/// by a thread that is not the drain's.
struct HandOver {
    /// What is to be done between two actions.
    private let swap: GenerationSwap
    /// The copy of what ran before.
    private let copy: RunningCopy
    /// The plan of that; nil where it is not recorded.
    private let plan: RecordedPlan?
    /// What both are part of.
    private let core: HostCore
    /// How long those that go may take.
    private let grace: Duration

    /// What came of an attempt.
    struct Attempt {
        /// Why nothing was handed over; nil when it was.
        fileprivate var failure: Finding?
        /// How long the host kept actions waiting.
        var held = Duration.zero
        /// Whose effects are given up.
        var givenUp: [Finding] = []
    }

    /// A swap that was built from a copy of what runs.
    ///
    /// - Parameter plan: the plan of what runs; nil where it is not recorded.
    init(
        _ swap: GenerationSwap, from copy: RunningCopy, by plan: RecordedPlan?, in core: HostCore,
        grace: Duration
    ) {
        self.swap = swap
        self.copy = copy
        self.plan = plan
        self.core = core
        self.grace = grace
    }

    /// Does it.
    ///
    /// - Throws: why the next generation does not run; the one before does again then.
    func perform() throws(Findings) -> Attempt {
        // Who takes over listens at the same sockets, and so does who comes back.
        core.dependencies.listeners.hold()
        defer { core.dependencies.listeners.settle() }
        // What cannot be handed over is better known before anybody is asked to end.
        if let finding = try core.ask({ [swap] _ in swap.objection }) { throw Findings([finding]) }
        let limit = ContinuousClock.now.advanced(by: grace)
        let held = try end(swap.gone, by: limit)
        var attempt = try perform(swap, after: limit)
        attempt.held += held
        // Those that ended come back, with a state that nobody has changed since.
        if let finding = attempt.failure { try takeBack([finding], hasRun: false) }
        let failing = swap.new.compactMap { transfer -> Finding? in
            guard case .failing(let reason) = transfer.instance.status.health else { return nil }
            let sentence = "it says that it is failing when it starts: \(reason)"
            return Finding(.error, instance: transfer.instance.id, sentence)
        }
        if !failing.isEmpty {
            let limit = ContinuousClock.now.advanced(by: grace)
            _ = try end(swap.new.map(\.instance), by: limit)
            try takeBack(attempt.givenUp + failing, hasRun: true)
        }
        return attempt
    }

    /// Asks instances to end, and waits until they have, or their time is over.
    private func end(
        _ instances: [Instance], by limit: ContinuousClock.Instant
    ) throws(Findings) -> Duration {
        guard !instances.isEmpty else { return .zero }
        let held = try core.ask { [swap] generation in
            ContinuousClock().measure {
                for instance in instances { instance.expectSuccessor(swap.heir(of: instance) != nil) }
                generation.stop(instances)
            }
        }
        waitForEnd(of: instances, by: limit)
        return held
    }

    /// Hands over, if nothing speaks against it at the last moment.
    ///
    /// Those that go still hear what comes until then. What they begin in that time may finish too: its outputs would be lost.
    ///
    /// - Parameter limit: what runs then is given up.
    private func perform(_ swap: GenerationSwap, after limit: ContinuousClock.Instant) throws(Findings)
        -> Attempt
    {
        let clock = ContinuousClock()
        while true {
            let attempt = try core.ask { _ -> Attempt? in
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
    private func takeBack(_ reasons: [Finding], hasRun: Bool) throws(Findings) {
        let tree = core.state.state
        var reasons = reasons
        var transfers: [StateTransfer] = []
        var links: [ChainLink] = []
        for link in copy.links {
            let old = link.instance
            guard let planned = copy.planned[old.id], swap.gone.contains(where: { $0 === old }) else {
                links.append(copy.planned[old.id].map { ChainLink(old, as: $0) } ?? link)
                continue
            }
            do throws(CodingFailure) {
                let fresh = try Instance(
                    planned, exports: old.exports, tree: tree, dependencies: core.dependencies,
                    standing: old.standing)
                // One of the same image has gone on with the state; another one may have brought it into a form of its own.
                let successor = swap.new.first {
                    hasRun && $0.old === old && $0.instance.exports === old.exports
                }
                transfers.append(
                    StateTransfer(to: fresh, of: planned, from: successor?.instance ?? old))
                links.append(ChainLink(fresh, as: planned))
            } catch {
                reasons.append(planned.fault(inSettings: error))
            }
        }
        let adaptations = swap.adaptations.compactMap { adaptation -> GenerationSwap.Adaptation? in
            copy.planned[adaptation.instance.id].map { planned in
                GenerationSwap.Adaptation(
                    instance: adaptation.instance, planned: planned,
                    gate: adaptation.gate == nil
                        ? nil : InstanceGate(planned, in: tree, report: core.report))
            }
        }
        let back = GenerationSwap(
            next: Generation(links, number: swap.next.number - 1, in: core), adaptations: adaptations,
            new: transfers, gone: swap.new.map(\.instance) + (hasRun ? [] : swap.gone),
            patch: swap.patch == nil ? nil : copy.plain, plan: plan)
        let attempt = try perform(back, after: .now)
        throw Findings(reasons + attempt.givenUp + [attempt.failure].compactMap { $0 })
    }

    /// So long has what begins meanwhile to end by itself.
    private static let pause = Duration.milliseconds(50)

    /// Waits until instances do nothing any more, or their time is over.
    ///
    /// They hear what comes meanwhile: what they begin then is asked to end too, or it would keep the reload until the time is over.
    private func waitForEnd(of instances: [Instance], by limit: ContinuousClock.Instant) {
        var next = ContinuousClock.now.advanced(by: Self.pause)
        while instances.contains(where: { $0.activity.running > 0 }), ContinuousClock.now < limit {
            usleep(1_000)
            guard ContinuousClock.now >= next else { continue }
            // A drain that is busy is asked again.
            _ = try? core.between(Self.pause) { for instance in instances { instance.stopEffects() } }
            next = ContinuousClock.now.advanced(by: Self.pause)
        }
    }

    /// What instances do that are to go.
    private func givenUp(of instances: [Instance]) -> [Finding] {
        instances.flatMap { instance -> [Finding] in
            let running = instance.activity.running
            let again = min(running, instance.recoverableEffects)
            return [
                (running - again, running - again == 1 ? "is given up" : "are given up"),
                (again, again == 1 ? "begins again" : "begin again"),
            ].compactMap { count, answer in
                guard count > 0 else { return nil }
                return Finding(
                    .warning, instance: instance.id,
                    "\(count) of its effects \(count == 1 ? "was" : "were") still running \(grace.inSeconds) after it was asked to end, and \(answer)"
                )
            }
        }
    }
}
