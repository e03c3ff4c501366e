// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

// What a run does between the first line of input and the end.
extension Host {
    /// What a run is told about itself.
    package struct Terms {
        /// Whether the first bad line, or payload that does not fit, ends the run.
        package let isStrict: Bool
        /// How many lines may be rejected or refused; one more ends the reading.
        package let mostTurnedAway: Int
        /// Told how many lines have been read, every 1,024 lines of an input.
        package let onLine: ((Int) -> Void)?
        /// Told true before it waits for input or effects, false when it goes on.
        package let onWait: ((Bool) -> Void)?
    }

    /// Reads actions until the inputs and the effects they started are finished, or somebody asks to end.
    ///
    /// At the end, also when the inputs have ended by themselves, the instances are told by `stopping`, and effects that are
    /// finishing are waited for.
    ///
    /// - Parameters:
    ///   - inputs: where the lines come from. One file or pipe alone is read as fast as can be; several take turns.
    ///   - isStrict: whether the first bad line, or payload that does not fit, ends the run.
    ///   - grace: how long effects may take to finish once the end has begun.
    ///   - mostTurnedAway: how many lines may be rejected or refused; one more ends the reading.
    ///   - onLine: told how many lines have been read, every 1,024 lines of an input.
    ///   - onWait: told true before it waits for input or effects, false when it goes on.
    ///   - onGrace: told what it waits for at the end, if there is anything.
    /// - Throws: when a file or pipe cannot be read.
    package func run(
        _ inputs: [Input], isStrict: Bool, mostTurnedAway: Int = .max,
        grace: Duration = .seconds(10), onLine: ((Int) -> Void)? = nil, onWait: ((Bool) -> Void)? = nil,
        onGrace: (([UnfinishedWork]) -> Void)? = nil
    ) throws(IngressError) -> Summary {
        let terms = Terms(
            isStrict: isStrict, mostTurnedAway: mostTurnedAway, onLine: onLine, onWait: onWait)
        let intake = RunIntake(of: self, terms)
        defer { store.dependencies.posted.close() }
        if !store.dependencies.control.isSettled { store.dependencies.control.settle(nil) }
        let accounts = self.inputs.open(inputs, in: ingress)
        // The instances have started, and listen where they want to.
        store.dependencies.listeners.settle()
        admission.finishLeftWork(of: self)
        do throws(IngressError) {
            if !admission.keepsFirst, inputs.count == 1, handed.allSatisfy(\.isStream), handed.count <= 1,
                case .stream(let descriptor, let name) = inputs[0]
            {
                try intake.readAlone(descriptor, name, accounts[0])
            } else {
                try intake.readTogether(inputs, accounts)
            }
            if !isHandedOver { serve(terms, intake.summary) }
            if isHandedOver {
                var summary = intake.summary
                onWait?(true)
                if journal == nil {
                    finish(grace, &summary, onGrace)
                } else {
                    finishHandedOver(within: grace)
                }
                onWait?(false)
                queue.withExclusiveAccess { for instance in generation.instances { instance.worker?.end() } }
                summary.isHandedOver = true
                return summary
            }
            try admission.finish()
        } catch {
            // What runs is still ended in good order; who closes the journal is told why.
            switch error {
            case .journal: stop?.ask(.journalFailed)
            case .cluster: stop?.ask(.clusterFailed)
            default: throw error
            }
        }
        var summary = intake.summary
        if summary.stoppedAtBadData {
            queue.withExclusiveAccess { generation.cancelEffects() }
        } else {
            onWait?(true)
            waitForEffects()
            finish(grace, &summary, onGrace)
            onWait?(false)
            if isStrict, reports.badDataCount > 0 { summary.stoppedAtBadData = true }
        }
        summary.stop = stop?.reason
        return summary
    }
}

// MARK: - Waiting

extension Host {
    /// So many effects that finish may be running, and those of 64 lines more, before input is held back.
    static let maximumEffects = 4_096

    /// So long may input be held back without a word.
    package static let patience = Duration.seconds(3)

    /// Waits, when many effects are finishing what was promised, until half of them have ended or somebody asks to end: what
    /// they hold would fill the memory otherwise. Also waits while a reload holds all inputs.
    func waitForRoom(_ onWait: ((Bool) -> Void)?) {
        guard queue.activity.finishing > Self.maximumEffects || store.inputHold.holds else { return }
        onWait?(true)
        // What woke this thread meanwhile may have been for another wait.
        defer {
            idle.wake()
            onWait?(false)
        }
        let end = ContinuousClock.now.advanced(by: Self.patience)
        var isTold = false
        while queue.activity.finishing > Self.maximumEffects / 2 || store.inputHold.holds,
            stop?.isAsked != true
        {
            idle.wait(or: stop?.descriptor, atMost: isTold ? nil : 1_000)
            processPosted()
            if !isTold, ContinuousClock.now > end {
                isTold = true
                reports.send(
                    .heldInput(effects: queue.activity.finishing, until: Self.maximumEffects / 2))
            }
        }
    }

    /// Goes on for clients of instances that listen, until none does or somebody asks to end; not where bad input ends the run.
    private func serve(_ terms: Terms, _ summary: Summary) {
        guard !summary.stoppedAtBadData, summary.turnedAway <= terms.mostTurnedAway, listens else { return }
        terms.onWait?(true)
        while listens, stop?.isAsked != true {
            idle.wait(or: stop?.descriptor)
            processPosted()
            if standstill.isAsked, standStill(nil) { break }
        }
        terms.onWait?(false)
    }

    /// Waits until no effect holds the run open, or somebody asks to end.
    private func waitForEffects() {
        holdUntilRest()
        while !queue.activity.isIdle, stop?.isAsked != true {
            idle.wait(or: stop?.descriptor)
            processPosted()
        }
    }

    /// Counts what was done last like an effect that ends here: a thread that happens to drain may still have to do what it
    /// led to.
    private func holdUntilRest() {
        queue.activity.begin(.foreground)
        queue.activity.end(.foreground, atRestOf: queue)
    }

    /// Tells the instances that the end has come, and waits for what they finish.
    private func finish(_ grace: Duration, _ summary: inout Summary, _ onGrace: (([UnfinishedWork]) -> Void)?)
    {
        let end = ContinuousClock.now.advanced(by: grace)
        // Who asks for an end knows that it cuts something off; the end of an input does not look like it.
        if stop?.isAsked != true { summary.cut = queue.withExclusiveAccess { generation.silent } }
        queue.withExclusiveAccess { generation.stop() }
        holdUntilRest()
        let rest = rest()
        var isTold = false
        while !queue.activity.isIdle {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else {
                summary.givenUp = queue.withExclusiveAccess { generation.unfinished }
                break
            }
            // Before that, what another thread is about to finish would be told as an effect.
            if !isTold, rest.isIdle, let onGrace {
                isTold = true
                let unfinished = queue.withExclusiveAccess { generation.unfinished }
                if !unfinished.isEmpty { onGrace(unfinished) }
                continue
            }
            idle.wait(atMost: Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))))
            processPosted()
        }
        queue.withExclusiveAccess {
            generation.cancelEffects()
            if journal != nil { summary.left = generation.recoverable }
        }
        summary.givenUp = summary.givenUp.compactMap { work in
            let left = summary.left.first { $0.instance == work.instance }?.count ?? 0
            return work.count > left
                ? UnfinishedWork(instance: work.instance, count: work.count - left) : nil
        }
    }
}
