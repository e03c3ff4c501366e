// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Lets the next generation take over from the running one, or keeps the running one.
///
/// Removed instances end first, so that a port or a file is free; a next generation that cannot run gives everything back. Used
/// once, by a thread that is not the drain's.
struct HandOver {
    /// The work between two actions.
    let swap: GenerationSwap
    /// The copy of the previous generation.
    let copy: RunningCopy
    /// The plan of that generation; nil where it is not recorded.
    let plan: RecordedPlan?
    /// The host's core, shared by both generations.
    let core: HostStore
    /// How long removed instances may take.
    let grace: Duration

    /// The outcome of an attempt.
    struct Attempt {
        /// Why the hand-over failed; nil on success.
        fileprivate var failure: Diagnostic?
        /// How long the host held actions.
        var held = Duration.zero
        /// The instances whose effects are given up.
        var givenUp: [Diagnostic] = []
    }

    /// Performs the hand-over.
    ///
    /// - Throws: why the next generation does not run; the previous one then runs again.
    func perform() throws(Diagnostics) -> Attempt {
        // A successor listens at the same sockets, and so does an instance that comes back.
        core.dependencies.listeners.hold()
        defer { core.dependencies.listeners.settle() }
        defer { core.queue.enqueue { [core] in core.settleGeneration() } }
        // Obstacles should be known before any instance is asked to end.
        if let diagnostic = try core.ask({ [swap] _ in swap.objection }) { throw Diagnostics([diagnostic]) }
        let held = try askToEnd(swap.gone)
        let limit = ContinuousClock.now.advanced(by: grace)
        var attempt = try perform(swap, after: limit)
        attempt.held += held
        // The ended instances come back, with a state that nothing has changed since.
        if let diagnostic = attempt.failure { try takeBack([diagnostic], hasRun: false, after: .now) }
        let failing = swap.new.compactMap { transfer -> Diagnostic? in
            guard case .failing(let reason) = transfer.instance.status.health else { return nil }
            let sentence = "it reports that it is failing at its start: \(reason)"
            return Diagnostic(.error, instance: transfer.instance.id, sentence)
        }
        if !failing.isEmpty {
            _ = try askToEnd(swap.new.map(\.instance), within: Self.always)
            let limit = ContinuousClock.now.advanced(by: grace)
            try takeBack(attempt.givenUp + failing, hasRun: true, after: limit)
        }
        return attempt
    }

    /// Asks instances to end; returns how long that held actions.
    ///
    /// - Parameter limit: how long the drain may take to come to it; nil for the patience of the store.
    private func askToEnd(_ instances: [Instance], within limit: Duration? = nil) throws(Diagnostics)
        -> Duration
    {
        guard !instances.isEmpty else { return .zero }
        return try core.ask(within: limit) { [swap] turn in
            ContinuousClock().measure {
                for instance in instances { instance.expectSuccessor(swap.heir(of: instance) != nil) }
                turn.stop(instances)
            }
        }
    }

    /// Longer than anybody waits: instances that were asked to end cannot go on, so that a drain that is busy is waited for.
    private static let always = Duration.seconds(1 << 30)

    /// Hands over, unless there is an objection at the last moment.
    ///
    /// Until then removed instances still hear actions. Effects they begin in that time may finish too: their outputs would be lost.
    ///
    /// - Parameter limit: effects still running then are given up.
    private func perform(_ swap: GenerationSwap, after limit: ContinuousClock.Instant) throws(Diagnostics)
        -> Attempt
    {
        let clock = ContinuousClock()
        defer { core.inputHold.end() }
        while true {
            let attempt = try core.ask(within: swap.gone.isEmpty ? nil : Self.always) { _ -> Attempt? in
                let start = clock.now
                if swap.gone.contains(where: { $0.delaysEnd(due: limit, at: start) }) {
                    for instance in swap.gone { instance.stopEffects() }
                    return nil
                }
                var attempt = Attempt(givenUp: givenUp(of: swap.gone))
                do throws(Diagnostic) { try swap.perform() } catch { attempt.failure = error }
                attempt.held = start.duration(to: clock.now)
                return attempt
            }
            if let attempt { return attempt }
            waitForEnd(of: swap.gone, by: limit)
        }
    }

    /// Restores the previous generation, with new objects for ended instances.
    ///
    /// - Parameters:
    ///   - hasRun: whether the next generation ran meanwhile, so that its instances have the state.
    ///   - limit: effects still running then are given up.
    /// - Throws: always: why the next generation does not run.
    private func takeBack(
        _ reasons: [Diagnostic], hasRun: Bool, after limit: ContinuousClock.Instant
    ) throws(Diagnostics) {
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
                let fresh = try old.anew(as: planned, tree: tree, dependencies: core.dependencies)
                // A successor of the same image has continued the state; another may have changed its format.
                let successor = swap.new.first {
                    hasRun && $0.old === old && $0.instance.hasImage(of: old)
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
                        ? nil : InstanceGate(planned, in: tree, report: core.dependencies.report))
            }
        }
        let back = GenerationSwap(
            to: links, number: swap.number - 1, in: core, adaptations: adaptations, new: transfers,
            gone: swap.new.map(\.instance) + (hasRun ? [] : swap.gone),
            plan: plan, undoing: swap)
        let attempt = try perform(back, after: limit)
        throw Diagnostics(reasons + attempt.givenUp + [attempt.failure].compactMap { $0 })
    }

    /// How long effects that begin meanwhile have to end by themselves.
    private static let pause = Duration.milliseconds(50)

    /// Waits until instances have no effects any more, or time is up.
    ///
    /// They hear actions meanwhile: the effects they begin are asked to end too, or they would delay the reload to the limit.
    private func waitForEnd(of instances: [Instance], by limit: ContinuousClock.Instant) {
        var next = ContinuousClock.now.advanced(by: Self.pause)
        while instances.contains(where: { $0.delaysEnd(due: limit, at: .now) }) {
            usleep(1_000)
            // A worker that is given more and more never comes to its end.
            if instances.allSatisfy({ $0.onlyAnswers || $0.worker != nil && ContinuousClock.now >= limit }) {
                core.inputHold.begin()
            } else {
                core.inputHold.end()
            }
            guard ContinuousClock.now >= next else { continue }
            // A busy drain is asked again.
            _ = try? core.between(Self.pause) { for instance in instances { instance.stopEffects() } }
            next = ContinuousClock.now.advanced(by: Self.pause)
        }
    }

    /// Returns diagnostics about the unfinished effects of removed instances.
    private func givenUp(of instances: [Instance]) -> [Diagnostic] {
        instances.flatMap { instance -> [Diagnostic] in
            let running = instance.running
            let again = min(running, instance.recoverableEffects)
            return [
                (running - again, running - again == 1 ? "is given up" : "are given up"),
                (again, again == 1 ? "begins again" : "begin again"),
            ].compactMap { count, answer in
                guard count > 0 else { return nil }
                return Diagnostic(
                    .warning, instance: instance.id,
                    "\(count) of its effects \(count == 1 ? "was" : "were") still running \(grace.inSeconds) after it was asked to end, and \(answer)"
                )
            }
        }
    }
}

extension Instance {
    /// How much longer than the grace a worker has to answer what it was given.
    private static let patience = Duration.seconds(2)

    /// Whether a reload waits for it: for its effects until they are due, and a little longer for answers of its worker.
    fileprivate func delaysEnd(due limit: ContinuousClock.Instant, at now: ContinuousClock.Instant) -> Bool {
        guard now >= limit else { return running > 0 }
        return now < limit.advanced(by: Self.patience) && (worker?.standing.waiting ?? 0) > 0
    }

    /// How many of its effects run; in a worker those that it has told of once it has answered all. Until then its activity counts what it
    /// was given too, and after that an action whose effects were stopped for a successor: it has not come to its end.
    fileprivate var running: Int {
        guard let standing = worker?.standing, standing.waiting == 0 else { return activity.running }
        return standing.effects
    }

    /// Whether it runs the same image as another, here or in a worker: what stands for a plugin there is another object each time.
    fileprivate func hasImage(of other: Instance) -> Bool {
        if exports === other.exports { return true }
        guard worker != nil || other.worker != nil, standing == nil, other.standing == nil else {
            return false
        }
        return planned.digest != nil && planned.digest == other.planned.digest
    }

    /// Whether it has nothing left to do, but for actions that its worker was given and has not answered.
    fileprivate var onlyAnswers: Bool { activity.running == 0 || worker?.standing.effects == 0 }
}
