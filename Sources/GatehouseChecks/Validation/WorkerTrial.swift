// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// An ordinary host of this process that runs the plugin under check in a worker; none of its code runs here.
///
/// Used on one thread.
final class WorkerTrial {
    /// Records written from any thread.
    private final class Log: Sendable {
        /// The answers, and how the worker has died, under a lock that is never held while something else is done.
        let content = Mutex((answers: SampleAnswers(), death: String?.none))

        /// Records what the instance emits.
        func take(_ dispatched: DispatchedAction<AnyAction>) {
            guard dispatched.dispatcher.instance != nil else { return }
            let text = SampleAnswers.text(of: dispatched.action)
            content.withLock { $0.answers.outputs.append(text) }
        }

        /// Records how the worker has died first; it may have other things to tell.
        func take(_ report: HostReport) {
            guard case .worker(_, let sentence) = report, sentence.hasPrefix("its worker ") else { return }
            content.withLock { $0.death = $0.death ?? sentence }
        }
    }

    /// The host.
    private let host: Host
    /// The instance that stands for the worker.
    private let instance: Instance
    /// The records.
    private let log: Log
    /// What the instance hears under which names.
    private let names: LiftedNames
    /// The folder for data, which goes with this.
    private let folder: ScratchFolder

    /// How long the worker may take for an action; only a machine that is busy with something else takes so long.
    private static let patience = Duration.seconds(60)
    /// How long effects may take after that, as in the host.
    private static let rest = Duration.seconds(1)

    /// Makes the worker and starts the instance.
    ///
    /// - Throws: why there is none.
    init(_ library: PluginFolder.Candidate, settings: Value, images: ImageCache) throws(CheckDiagnostic) {
        guard library.verdict.isAccepted, let manifest = library.verdict.note?.manifest else {
            throw .skip(library.verdict.refusals.map(\.description).joined(separator: "; "))
        }
        let entry = InstanceConfiguration(id: manifest.id, settings: settings)
        let planned = PlannedInstance(
            entry, manifest: manifest, library: library, placedBy: PlacementPolicy(.worker))
        names = PlannedInstance(entry, manifest: manifest.withoutNarrowing).names
        var configuration = HostConfiguration()
        configuration.limits.memory = ValidationCheck.memory >> 20
        configuration.instances = [entry]
        let plan = HostPlan(
            configuration: configuration,
            entries: [HostPlan.Entry(id: entry.id, isOptional: false, outcome: .accepted(planned))],
            spares: [], diagnostics: Diagnostics())
        let log = Log()
        do {
            folder = try ScratchFolder()
        } catch {
            throw .skip("there is no folder for its data: \(error)")
        }
        let assembler = Assembler(
            cache: images,
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock()) { UnixTime.now }, dataDirectory: folder.path,
                report: { log.take($0) }), startsWorkers: true)
        let assembly: Assembly
        do throws(Diagnostics) {
            assembly = try assembler.assemble(plan)
        } catch {
            throw .fail(
                forEach: error.all.filter { $0.severity == .error }.map {
                    "expected it to be made in a worker as in the host, found that it is not: \($0.sentence)"
                })
        }
        instance = assembly.instances[0]
        // What it shares with others is the cache alone, which any thread may use.
        nonisolated(unsafe) let made = assembly
        host = unsafe Host(made, reports: Reporter { log.take($0) }) { log.take($0) }
        self.log = log
    }

    /// Sends actions one after the other.
    ///
    /// - Throws: how the worker has died.
    func answers(to recording: [ExampleAction]) throws(CheckDiagnostic) -> SampleAnswers {
        defer { host.turn { $0.cancelEffects() } }
        var parser = ActionParser()
        var isComplete = try hasRested()
        for example in recording.prefix(SampleAnswers.mostActions) {
            let line = ExampleAction(names.global(ofHeard: example.type), payload: example.payload).value
            guard case .action(let action) = parser.parse(line: line.json(), number: 1) else { continue }
            host.dispatch(action, from: ActionSource(file: "input", function: "", line: 1, info: nil))
            if isComplete { isComplete = try hasRested() }
        }
        _ = try hasRested()
        var answers = log.content.withLock { $0.answers }
        answers.isComplete = isComplete
        do throws(CodingFailure) {
            answers.state = try host.turn { [instance] _ throws(CodingFailure) in try instance.slice.value() }
                .map(SampleAnswers.canonical)
        } catch {
            throw .skip("its state cannot be written as JSON, see state/round-trip")
        }
        return answers
    }

    /// Waits until the worker has answered and its effects have ended; returns whether they have.
    private func hasRested() throws(CheckDiagnostic) -> Bool {
        host.settle()
        var death: String?
        let hasAnswered = pause(Self.patience) { [log, instance] in
            guard let standing = instance.worker?.standing else { return true }
            // A death is told a moment after it is counted.
            if standing.deaths > 0 { death = log.content.withLock { $0.death } }
            return standing.deaths > 0 ? death != nil : standing.waiting == 0
        }
        if let death {
            throw .fail(
                "expected it to live in a worker as it does in the host, found that \(death); do without what a worker may not do, or correct the plugin"
            )
        }
        guard hasAnswered else {
            throw .fail(
                "expected an answer of its worker within \(Self.patience.inSeconds), found none; return at once from all that the host calls"
            )
        }
        return pause(Self.rest) { host.queue.activity.isIdle }
    }

    /// Waits until a condition holds; returns whether it came to hold in time.
    private func pause(_ limit: Duration, until isOver: () -> Bool) -> Bool {
        let end = ContinuousClock.now.advanced(by: limit)
        while !isOver() {
            guard ContinuousClock.now < end else { return false }
            host.idle.wait(atMost: 10)
            host.processPosted()
        }
        return true
    }
}
