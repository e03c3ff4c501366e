// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import GatehouseTesting

/// A host with manual clocks, whose effects run on its owner's thread.
///
/// Used from one thread.
final class CaseHost {
    /// The events that did not come in time.
    enum Overdue: Error {
        /// The end of these effects.
        case effects([UnfinishedWork])
        /// The moment that the clock was advancing to; how far it came.
        case clock(Duration)
    }

    /// The host itself.
    let host: Host
    /// The activity since the last look.
    let record: CaseRecord
    /// Runs the tasks of effects.
    private let executor: TestExecutor
    /// The clocks of the instances, which all show the same time.
    private let clocks: CaseClocks
    /// The name of the input.
    private let source: ActionSource
    /// Parses lines into actions.
    private var taker: ActionTaker

    /// The longest wait before looking again: an effect that ends on its own thread notifies nobody while others sleep.
    private static let pause: Int32 = 2

    /// Makes a host and starts its instances.
    ///
    /// - Parameters:
    ///   - saved: the state that an earlier run left; nil for none.
    ///   - input: the name of the input.
    ///   - clock: the starting time, in seconds since 1970-01-01 00:00 UTC.
    ///   - data: the parent of the data folders that instances get.
    ///   - startsWorkers: whether instances run in workers where the plan says so; their effects sleep in real time.
    /// - Throws: why the instances cannot be made.
    init(
        _ plan: HostPlan, restoring saved: SavedState? = nil, readFrom input: String, clock: Double,
        effects: CaseEffects = CaseEffects(), images: ImageCache, data: String,
        startsWorkers: Bool = false
    ) throws(Diagnostics) {
        let executor = TestExecutor()
        let clocks = CaseClocks(plan.instances.map(\.id), start: clock)
        let source = ActionSource(file: input, function: "", line: 0, info: nil)
        let record = CaseRecord(input: source)
        let assembler = Assembler(
            cache: images,
            dependencies: HostDependencies(
                effects: { id in
                    EffectTerms(
                        clock: clocks.hostClock(of: id),
                        execution: effects[id] == .stubbed ? .stubbed : .preferring(executor))
                }, dataDirectory: data, report: { record.take($0) }), startsWorkers: startsWorkers)
        // It shares only the image cache with other cases' hosts, which is used on this thread only, because nothing ever reloads
        // it.
        nonisolated(unsafe) let assembly = try assembler.assemble(plan, restoring: saved)
        let reports = Reporter { record.take($0) }
        taker = ActionTaker(plan.configuration.ingress, reports: reports)
        host = Host(unsafe assembly, reports: reports) { record.take($0) }
        self.executor = executor
        self.clocks = clocks
        self.record = record
        self.source = source
    }

    /// Sends the host a line of input.
    ///
    /// - Returns: the type, and the ids of the instances that hear it; nil for a line that is not an action, or is the host's own.
    func send(_ value: Value, line number: Int, column: Int) -> (type: String, listeners: [String])? {
        let line = Array(value.json().utf8)
        let source = source.at(line: UInt(number))
        host.turn { $0.isReading(source) }
        let outcome = unsafe (line + [UInt8](repeating: 0, count: LineReader.padding))
            .withUnsafeBytes { bytes in
                unsafe taker.take(
                    InputLine(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<line.count]), number: number))
            }
        switch outcome {
        case .action(let action), .hostAction(let action):
            let type = action.type
            let listeners = host.turn { $0.listeners(of: type) }
            host.dispatch(action, from: source)
            return listeners.map { (type.name, $0) }
        case .refused(let action, let reason):
            record.take(.refusedInput(source: source, type: action.type.name, reason: reason))
        case .rejected(let rejection):
            record.take(
                .rejectedLine(
                    input: source.file, line: number, column: column, reason: "\(rejection.reason)"))
        case .blank: break
        }
        return nil
    }

    /// Waits until all effects have ended, sleep, or continue in the background.
    func settle(by end: ContinuousClock.Instant) throws(Overdue) {
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

    /// Advances the clocks, and waits for the consequences at each moment at which an effect wakes.
    func advance(by duration: Duration, within end: ContinuousClock.Instant) throws(Overdue) {
        let target = clocks.now + duration
        while let next = clocks.nextDeadline, next <= target {
            guard ContinuousClock.now < end else { throw .clock(clocks.now) }
            clocks.advance(to: next)
            try settle(by: end)
        }
        clocks.advance(to: target)
    }

    /// Stops the instances, and waits for the consequences; then ends the sleeping effects.
    func stop(by end: ContinuousClock.Instant) throws(Overdue) {
        host.turn { $0.stop() }
        try settle(by: end)
        self.end()
    }

    /// Ends the effects that still run.
    func end() {
        host.turn { $0.cancelEffects() }
        executor.runAll()
    }

    /// The instances with active effects: running, and not asleep until the clock advances.
    private var busy: [UnfinishedWork] {
        host.turn { turn in
            var work: [UnfinishedWork] = []
            var held = host.queue.activity.foreground
            for instance in turn.instances {
                let activity = instance.activity
                let asleep = clocks.sleepers(of: instance.id)
                held -= activity.foreground
                if activity.foreground > 0, asleep < activity.running {
                    work.append(UnfinishedWork(instance: instance.id, count: activity.running - asleep))
                } else {
                    // An interceptor's own sleep, which is not an effect, or an effect of its plugin releases its held action.
                    held -= instance.intercepts ? asleep : max(0, asleep - activity.running)
                }
            }
            return held > 0 ? work + [UnfinishedWork(instance: nil, count: held)] : work
        }
    }
}
