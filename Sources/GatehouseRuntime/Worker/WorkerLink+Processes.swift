// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc
internal import Synchronization

// What the processes of a worker mean for one of its instances.
extension WorkerLink {
    /// Starts the worker, and returns before it is ready; does nothing where another instance of it was launched.
    func launch() { group.launch() }

    /// Waits until a worker that was launched has its instance.
    ///
    /// - Returns: what the instance is.
    /// - Throws: why it cannot be: `WorkerFailure`, or `CodingFailure` for settings that do not fit.
    private func begin() throws -> Instance {
        var (isInTime, left) = (false, Optional(patience))
        while !isInTime, let time = left {
            isInTime = hasAnswer.wait(timeout: .now() + time / .seconds(1)) == .success
            if !isInTime { left = group.timeLeft(for: self) }
        }
        let beginning = isInTime ? answers.withLock { $0.beginning } : nil
        if case .ready(let instance)? = beginning {
            box.onRestore = { [weak self] value throws(CodingFailure) in
                try self?.restore(VersionedState(version: instance.stateVersion, value: value)) ?? value
            }
            box.onCopy = { [weak self] in self?.copy() }
            return instance
        }
        end()
        switch beginning {
        case .misfit(let failure): throw failure
        case .refused(let reason): throw WorkerFailure(reasons: [reason])
        case .ended(let reason): throw WorkerFailure(reasons: ["in a worker it \(reason)"])
        case .ready, nil:
            throw WorkerFailure(reasons: ["in a worker it did not return within \(patience.inSeconds)"])
        }
    }

    /// Makes the instance that stands for a worker that was launched, once that is ready.
    ///
    /// - Throws: as `begin` does.
    func instance(as planned: PlannedInstance, tree: StateTree, dependencies: HostDependencies) throws
        -> GatehouseRuntime.Instance
    {
        let made = try begin()
        return try GatehouseRuntime.Instance(
            planned, exports: PluginExports(self, made), tree: tree, dependencies: dependencies, worker: self)
    }

    /// Ends the link as it is: nothing that its session still tells counts, and the last link of a process ends that.
    package func end() {
        isEnded.store(true, ordering: .releasing)
        bell.ring()
        group.leave()
    }

    /// Whether no process is started for it any more, and nothing follows from a death: others have what it had.
    var isOut: Bool {
        isEnded.load(ordering: .acquiring) || traffic.withLock { $0.isGivenUp != nil || $0.isReplaced }
    }

    // MARK: - A process that runs

    /// Takes what a process tells until it is over, and ends it where it tells or does what none may.
    ///
    /// - Parameter groupFolder: the folder of the control group of the process; nil for none of its own.
    func take(
        _ own: RingMemory, _ other: RingMemory, from process: Int32, in groupFolder: String?,
        _ flightRecorder: FlightRecorder
    ) {
        let lapsed = traffic.withLock { traffic in
            let lapsed = traffic.takeLapsed()
            traffic.attach(RingWriter(own: own, other: other))
            (traffic.process, traffic.groupFolder) = (process, groupFolder)
            return lapsed
        }
        end(lapsed)
        let limit = rules.hang == 0 ? Duration.seconds(Self.always) : .seconds(rules.hang)
        var dying: ContinuousClock.Instant?
        let objection = WorkerAnswers(of: self, bell).take(own, other, atMost: limit) {
            guard flightRecorder.isDying else { return flightRecorder.hasLongWork }
            // One that dies says where, which takes a moment.
            let start = dying ?? .now
            dying = start
            return start.duration(to: .now) < Self.lastWords
        }
        switch objection {
        case .lie(let lie): object(toLie: lie, endingWith: process)
        case .refused(let reason):
            guard !isOut else { return }
            object("does not begin again: \(reason)")
            kill(process, SIGKILL)
        case .hung(let limit):
            // Others of its process need not go for one that nobody waits for.
            guard !isOut else { return }
            group.culprit(forSilenceOf: self).object("did not return within \(limit.inSeconds)")
            kill(process, SIGABRT)
            // It says where it hangs, and then it is over, unless it does not obey.
            let end = ContinuousClock.now.advanced(by: Self.lastWords)
            while !isOver.load(ordering: .acquiring), ContinuousClock.now < end { usleep(10_000) }
            if !isOver.load(ordering: .acquiring) { kill(process, SIGKILL) }
        case nil: break
        }
    }

    /// Lets what stands in the log for effects end that do not begin again, and tells people of those that were interrupted.
    private func end(_ lapsed: WorkerTraffic.Lapsed) {
        guard !lapsed.ended.isEmpty else { return }
        surroundings.withLock { $0 }?.drain.enqueue { [self] in
            for effect in lapsed.interrupted {
                // What the log does not know any more the instance that took over has told.
                let entry = desk?.log?.entry(of: effect.number)
                guard effect.isUnlogged || entry != nil else { continue }
                store?.generation?.tellInterrupted(
                    JournalEffect(
                        number: effect.number, instance: id, sequence: effect.sequence, key: entry?.key ?? "")
                )
            }
            end(lapsed.finished, lapsed.ended)
        }
    }

    /// Objects to what the session does; the reason tells why its process was ended.
    func object(_ reason: String) { traffic.withLock { $0.objection = reason } }

    /// Objects to what no session says that is one, and ends the process.
    func object(toLie lie: String, endingWith process: Int32) {
        guard !isOut else { return }
        object("was ended, because it does not speak as workers do: \(lie)")
        kill(process, SIGKILL)
    }

    /// Takes note that the process is over: what it has told is there.
    func noteEnd() {
        isOver.store(true, ordering: .releasing)
        bell.ring()
    }

    /// More seconds than any process lives.
    static let always = 1 << 30
    /// How long a process may take to say where it dies.
    private static let lastWords = Duration.seconds(10)

    // MARK: - A process that is over

    /// Decides what a death means that is this instance's doing: it goes on in another process, without the action that has ended too
    /// many, or is given up.
    func note(_ death: WorkerDeath) {
        let consequence = deaths.note(death.facts, at: .now, under: rules)
        guard consequence != .giveUp else {
            return giveUp(
                "its worker \(death.text), \(rules.times)\(death.words)", calls: death.calls,
                blaming: "it has ended its worker \(rules.times), the last time it \(death.text)")
        }
        report(death, calls: true)
        if case .leaveOut(let sequence) = consequence {
            leaveOut(
                sequence, "has ended \(workers) and is left out", because: "it has ended \(workers) of \(id)")
        }
        if death.facts.isOfEffect,
            let sequence = traffic.withLock({ $0.blameEffects(atMost: rules.deaths) })
        {
            leaveOut(effectsOf: sequence)
        }
    }

    /// Takes note of a death that is the doing of others in its process.
    ///
    /// - Parameter others: their ids: of one, or of several of which it was one.
    func note(endBy others: [String], of worker: String) {
        guard !isOut, hasBegun else { return }
        report(
            "its worker \(worker) was ended by \(others.joined(separator: " or ")), and another one goes on from its last checkpoint"
        )
    }

    /// Tells people how a worker has died that goes on.
    ///
    /// - Parameter calls: whether they are told where it was.
    func report(_ death: WorkerDeath, calls: Bool) {
        report("its worker \(death.text)\(death.words), and another one goes on from its last checkpoint")
        if calls { death.calls.forEach(report) }
    }

    /// So many deaths as an action may cause, in words.
    private var workers: String { Counted.text(rules.deaths, "worker") }

    /// Leaves out an action whose effects had not ended when too many processes died.
    func leaveOut(effectsOf sequence: UInt64) {
        leaveOut(
            sequence, "had effects that had not ended when \(workers) died, and they are left out",
            because: "its effects had not ended when \(workers) of \(id) died")
    }

    /// Lets an action begin nothing in any process any more, tells people, and keeps it as a dead letter; a snapshot keeps that the state
    /// does not have one that was left out before it was heard.
    private func leaveOut(_ sequence: UInt64, _ sentence: String, because reason: String) {
        guard
            let (kept, finished, ended) = traffic.withLock({ $0.isReplaced ? nil : $0.leaveOut(sequence) })
        else { return }
        var lines = RecordedLines()
        let (action, source) = (kept.read(by: &lines), kept.source)
        let around = surroundings.withLock { $0 }
        report("action \(sequence.grouped), \(action.type.name), \(sentence)")
        around?.letters.add(.setAside, action, from: source, instance: id, reason: reason)
        around?.drain.enqueue { [self] in
            end(finished, ended)
            // The next host reduces again what no snapshot has, and would reduce this action with it, or die of it.
            if finished.isEmpty { around?.drain.enqueueAtRest { [weak store] in store?.onIdle?() } }
        }
    }

    /// Gives up before it has begun, because its process has died.
    func giveUpBeginning(_ death: WorkerDeath) {
        tell(.ended(death.reason))
        isEnded.store(true, ordering: .releasing)
    }

    /// Gives up because no process can be started.
    func giveUpBeginning(_ reason: String) {
        tell(.refused(reason))
        giveUp(reason)
    }

    /// Gives up: what the instance has not done, and what it hears from now on, becomes dead letters. Effects that have not ended wait for
    /// the instance that comes next, and the run does not wait for them.
    ///
    /// - Parameters:
    ///   - calls: where it was, told after the reason.
    ///   - blame: why its library goes into quarantine; nil where it is not to blame.
    func giveUp(_ reason: String, calls: [String] = [], blaming blame: String? = nil) {
        report("\(reason); no other one is started")
        calls.forEach(report)
        // What is in quarantine has its own way back.
        let advice =
            blame == nil
            ? "; change its entry, such as its placement, or its library, or restart the host, and it runs again without what it has missed"
            : ""
        let sentence = "\(id) hears nothing any more: \(reason)\(advice)"
        traffic.withLock { $0.isGivenUp = sentence }
        let around = surroundings.withLock { $0 }
        around?.drain.enqueue { [self] in
            guard !traffic.withLock({ $0.isReplaced }) else { return }
            send()
            let kept = traffic.withLock { $0.giveUp() }
            var lines = RecordedLines()
            for action in kept.actions {
                around?.letters.add(
                    .unfinished, action.read(by: &lines), from: action.source, instance: id, reason: sentence)
            }
            close(because: sentence, missing: kept.standing)
            end(kept.logged)
            endRun(waitingFor: kept.logged.count)
            guard let instance else { return }
            count(WorkerCounts())
            if let blame, let digest = instance.planned.digest?.hex {
                store?.onQuarantine?(digest, instance.manifest.id, blame)
            }
        }
    }

    /// Tells people something about the instance.
    func report(_ sentence: String) {
        surroundings.withLock { $0 }?.report(.worker(instance: id, sentence))
    }

    /// Lets the effects end that stand for actions, and effects of the worker, once what was put into the queue before is processed; called
    /// in the drain.
    func end(_ finished: [UInt64?], _ ended: [UInt64] = []) {
        desk?.log?.finish(finished, ended)
        endRun(waitingFor: 0)
    }

    /// Lets a run no longer wait for so many orders, and what is recorded with outputs be settled, once what was put into the queue before is
    /// processed; called in the drain.
    func endRun(waitingFor count: Int) {
        // Those of one that was replaced nobody waits for any more.
        let count = min(count, held)
        guard let desk, count > 0 || desk.recorder?.isWaiting == true else { return }
        held -= count
        desk.queue.enqueueAtRest { [activity = desk.activity, recorder = desk.recorder] in
            recorder?.rest()
            if count > 0 { activity.end(.finishing, count) }
        }
    }

    /// Answers who waits for the beginning; the first answer counts.
    func tell(_ beginning: Beginning) {
        let isFirst = answers.withLock { answers in
            guard answers.beginning == nil else { return false }
            answers.beginning = beginning
            return true
        }
        if isFirst { hasAnswer.signal() }
    }
}

/// Why an instance cannot be made in a worker.
struct WorkerFailure: Error {
    /// The reasons, as sentences about the library.
    let reasons: [String]
}
