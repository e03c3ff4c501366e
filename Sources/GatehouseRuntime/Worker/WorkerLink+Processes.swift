// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc
internal import Synchronization

// The processes of a worker, one after the other.
extension WorkerLink {
    /// Starts the worker, and returns before it is ready; called once.
    func launch() { BackgroundThread.perform { [self] in live() } }

    /// Waits until a worker that was launched has its instance.
    ///
    /// - Returns: what the instance is.
    /// - Throws: why it cannot be: `WorkerFailure`, or `CodingFailure` for settings that do not fit.
    private func begin() throws -> Instance {
        let isInTime = hasAnswer.wait(timeout: .now() + patience / .seconds(1)) == .success
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

    /// Ends the worker as it is; nothing that it still tells counts.
    func end() {
        isEnded.store(true, ordering: .releasing)
        stopping.wake()
        bell.ring()
    }

    /// Runs one process after the other.
    private func live() {
        while !isEnded.load(ordering: .acquiring) {
            let life: WorkerLife
            do {
                life = try makeLife()
            } catch {
                let reason = "its worker cannot be started: \(error)"
                tell(.refused(reason))
                return giveUp(reason)
            }
            let reading = DispatchSemaphore(value: 0)
            var isAttached = false
            isOver.store(false, ordering: .releasing)
            let isServed = serve(life)
            var words = ""
            let outcome = life.child.follow(
                HostChild.Limits(time: .seconds(Self.always), isRenewed: false), stop: stopping.descriptor,
                onWords: { text in
                    // What it says of its death is told with that.
                    guard !life.flightRecorder.isDying else { return }
                    words += text
                    tell(linesOf: &words)
                }
            ) { line in
                if line == "mapped", !isAttached {
                    isAttached = true
                    attach(life, reading)
                }
                return true
            }
            isOver.store(true, ordering: .releasing)
            bell.ring()
            if isAttached { reading.wait() }
            life.broker?.end()
            isServed?.wait()
            traffic.withLock { $0.detach() }
            if isEnded.load(ordering: .acquiring) { return }
            guard hasBegun else { return tell(.ended(outcome.end.text ?? "ended")) }
            if !note(outcome, life) { return }
        }
    }

    /// Tells people the lines that the process has written whole, and what is too long for one; the rest stays.
    private func tell(linesOf words: inout String) {
        while let end = words.firstIndex(of: "\n") {
            if end > words.startIndex { tell(line: String(words[..<end])) }
            words.removeSubrange(...end)
        }
        guard words.utf8.count > Self.longestLine else { return }
        tell(line: words)
        words = ""
    }

    /// Tells people a line that the process has written.
    private func tell(line: String) {
        surroundings.withLock { $0 }?.report(.workerOutput(instance: id, line: line))
    }

    /// So many bytes without a line break are told as a line.
    private static let longestLine = 4_096

    /// Makes the connections of a process on another thread, until it is over.
    ///
    /// - Returns: signalled when none is made any more; nil where none is granted.
    private func serve(_ life: WorkerLife) -> DispatchSemaphore? {
        guard let broker = life.broker else { return nil }
        let (process, done) = (life.child.process, DispatchSemaphore(value: 0))
        BackgroundThread.perform { [self] in
            if let lie = broker.serve(), !isOver.load(ordering: .acquiring) {
                traffic.withLock {
                    $0.objection = "was ended, because it does not speak as workers do: \(lie)"
                }
                kill(process, SIGKILL)
            }
            done.signal()
        }
        return done
    }

    /// Begins with a process that has mapped its memory, and takes what it tells on another thread until it is over.
    ///
    /// - Parameter done: signalled when nothing more of it is taken.
    private func attach(_ life: WorkerLife, _ done: DispatchSemaphore) {
        let (own, process, flightRecorder) = (life.own, life.child.process, life.flightRecorder)
        do throws(RingFailure) {
            let other = try life.other()
            BackgroundThread.perform { [self] in
                traffic.withLock {
                    $0.attach(RingWriter(own: own, other: other))
                    $0.process = process
                }
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
                case .lie(let lie):
                    traffic.withLock {
                        $0.objection = "was ended, because it does not speak as workers do: \(lie)"
                    }
                    kill(process, SIGKILL)
                case .hung(let limit):
                    traffic.withLock { $0.objection = "did not return within \(limit.inSeconds)" }
                    kill(process, SIGABRT)
                    // It says where it hangs, and then it is over, unless it does not obey.
                    let end = ContinuousClock.now.advanced(by: Self.lastWords)
                    while !isOver.load(ordering: .acquiring), ContinuousClock.now < end { usleep(10_000) }
                    if !isOver.load(ordering: .acquiring) { kill(process, SIGKILL) }
                case nil: break
                }
                done.signal()
            }
        } catch {
            traffic.withLock { $0.objection = "was ended, because it does not speak as workers do: \(error)" }
            kill(process, SIGKILL)
            done.signal()
        }
    }

    /// More seconds than any process lives.
    static let always = 1 << 30
    /// How long a process may take to say where it dies.
    private static let lastWords = Duration.seconds(10)
    /// So often the same action rules out that kills from outside hit it by chance.
    private static let chances = 3
    /// So many actions are remembered at which processes have died.
    private static let mostTries = 1_000

    /// Decides what a death means: another process goes on, without the action that has ended too many.
    ///
    /// - Returns: whether another one is started.
    private func note(_ outcome: HostChild.Outcome, _ life: WorkerLife) -> Bool {
        let death = WorkerDeath(
            outcome, objection: traffic.withLock { traffic in traffic.objection.take() },
            record: life.flightRecorder.death ?? life.flightRecorder.lastActivity, image: life.image)
        traffic.withLock { $0.deaths += 1 }
        let isTried = isTriedTooOften(death)
        let now = ContinuousClock.now
        deaths = deaths.filter { $0.duration(to: now) < .seconds(60 * rules.minutes) }
        if !death.isChance || isTried { deaths.append(now) }
        guard deaths.count < rules.crashes else {
            let times =
                (rules.crashes == 1 ? "once" : "\(rules.crashes) times") + " within \(rules.minutes) min"
            giveUp(
                "its worker \(death.text), \(times)\(death.words)", calls: death.calls,
                blaming: "it has ended its worker \(times), the last time it \(death.text)")
            return false
        }
        report("its worker \(death.text)\(death.words), and another one goes on from its last checkpoint")
        death.calls.forEach(report)
        let workers = Counted.text(rules.deaths, "worker")
        if isTried, let sequence = death.sequence {
            tries[sequence] = nil
            leaveOut(
                sequence, "has ended \(workers) and is left out", because: "it has ended \(workers) of \(id)")
        }
        // What dies at its start, or in other code of its plugin that the drain has called, did not die of an effect.
        if death.sequence == nil, !death.wasInPlugin, !death.isChance,
            let sequence = traffic.withLock({ $0.blameEffects(atMost: rules.deaths) })
        {
            leaveOut(
                sequence, "had effects that had not ended when \(workers) died, and they are left out",
                because: "its effects had not ended when \(workers) of \(id) died")
        }
        return true
    }

    /// Counts a death by the action in hand, and returns whether it has ended as many processes as it may.
    private func isTriedTooOften(_ death: WorkerDeath) -> Bool {
        guard let sequence = death.sequence else { return false }
        let count = tries[sequence, default: 0] + 1
        if tries.count >= Self.mostTries { tries = [:] }
        tries[sequence] = count
        return count >= (death.isChance ? max(rules.deaths, Self.chances) : rules.deaths)
    }

    /// Lets an action begin nothing in any process any more, tells people, and keeps it as a dead letter.
    private func leaveOut(_ sequence: UInt64, _ sentence: String, because reason: String) {
        guard let (action, source, finished) = traffic.withLock({ $0.leaveOut(sequence) }) else { return }
        let around = surroundings.withLock { $0 }
        report("action \(sequence.grouped), \(action.type.name), \(sentence)")
        around?.letters.add(.setAside, action, from: source, instance: id, reason: reason)
        around?.drain.enqueue { [self] in end(finished) }
    }

    /// Gives up: what the instance has not done, and what it hears from now on, becomes dead letters.
    ///
    /// - Parameters:
    ///   - calls: where it was, told after the reason.
    ///   - blame: why its library goes into quarantine; nil where it is not to blame.
    func giveUp(_ reason: String, calls: [String] = [], blaming blame: String? = nil) {
        report("\(reason); no other one is started")
        calls.forEach(report)
        let sentence = "\(id) hears nothing any more: \(reason)"
        traffic.withLock { $0.isGivenUp = sentence }
        let around = surroundings.withLock { $0 }
        around?.drain.enqueue { [self] in
            let (finished, counts) = traffic.withLock { traffic in
                (
                    traffic.giveUp {
                        around?.letters.add(.unfinished, $0, from: $1, instance: id, reason: sentence)
                    }, traffic.counts
                )
            }
            end(finished)
            guard let instance else { return }
            WorkerCounts().replace(counts, in: instance.activity)
            if let blame, let digest = instance.planned.digest?.hex {
                store?.onQuarantine?(digest, instance.manifest.id, blame)
            }
        }
    }

    /// Tells people something about the instance.
    func report(_ sentence: String) {
        surroundings.withLock { $0 }?.report(.worker(instance: id, sentence))
    }

    /// Lets the effects end that stand for actions, once what was put into the queue before is processed; called in the drain.
    func end(_ finished: [UInt64?]) {
        guard !finished.isEmpty, let store, let instance else { return }
        for case let logged? in finished { instance.log?.finish(logged) }
        // A run is not over before.
        store.queue.enqueueAtRest { [activity = instance.activity, weak recorder = store.recorder] in
            recorder?.rest()
            for _ in finished { activity.end(.finishing) }
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
