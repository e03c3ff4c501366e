// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
private import GatehouseManifest
internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Makes the instances with which a run begins: of its plan or, where that is refused and the run is a service, of its last good
/// generation.
struct GenerationMaker {
    /// The command line, and the process.
    let context: RunContext
    /// Names the host and its folder.
    let configuration: RunConfiguration
    /// Holds the libraries in quarantine.
    let crashes: CrashLog
    /// Has the last good generation; nil for a host without a journal.
    let journal: RunJournal?
    /// The images of this process.
    let images: ImageCache
    /// Knows the pauses of all instances of this process, also of those in partitions.
    private let pauses = EffectPauses()

    /// Makes the instances, and reports their diagnostics.
    ///
    /// - Parameter written: the plan before quarantine.
    /// - Throws: when neither plan runs, or the user asked to end, after reporting it.
    func generation(of written: HostPlan) throws(Ended) -> FirstGeneration {
        let plan = written.quarantining(crashes.known())
        let options = context.options
        for id in options.debugged
        where !plan.instances.contains(where: { $0.id == id && $0.runsInWorker }) {
            throw Ended(
                .usage,
                "--debug-worker: expected the id of an instance that runs in a worker, found \(Quotation.of(id)); gatehouse plan shows where each runs"
            )
        }
        // A program that refuses the configuration has nothing to go on with, and the host before does it better.
        let past = options.leniency.fallsBack && context.predecessor == nil ? journal?.recovery : nil
        let mayFallBack =
            past?.hasLastGood == true && (options.isService(plan.configuration) || plan.failure != nil)
        let generation: FirstGeneration
        switch try make(plan, leavingUnread: !mayFallBack) {
        case .success(let made): generation = made
        case .failure(let diagnostics):
            diagnostics.write()
            guard mayFallBack, let past else { throw Ended(code: diagnostics.exitCode) }
            generation = try lastGood(of: past, insteadOf: plan, diagnostics)
        }
        generation.assembly.diagnostics.write()
        if let warning = generation.plan.rememberSignatures() { StandardError.warn(warning) }
        return generation
    }

    /// Makes the instances of the last good generation.
    private func lastGood(
        of past: Recovery, insteadOf plan: HostPlan, _ diagnostics: Diagnostics
    ) throws(Ended) -> FirstGeneration {
        let name = past.lastGoodName
        let last: HostPlan
        do throws(Recovery.NoLastGood) {
            last = try past.lastGood(
                insteadOf: plan, beside: configuration.file.folder, isStrict: context.options.isStrict
            )
            .wrapping(context.options.wrap)
        } catch {
            StandardError.tell("the last good generation does not run either: \(error.reason)", .error)
            throw Ended(code: diagnostics.exitCode)
        }
        switch try make(last, leavingUnread: true) {
        case .success(var made):
            let sentence = "the configuration is refused, and the last good generation runs (\(name))"
            StandardError.tell(
                "\(sentence); correct the configuration, and the host switches to it", .warning)
            made.refused = (diagnostics, sentence)
            return made
        case .failure(let found):
            StandardError.tell("the last good generation (\(name)) does not run either", .error)
            found.write()
            throw Ended(code: diagnostics.exitCode)
        }
    }

    /// Tries the plugins of a plan before any of their code runs here, and makes its instances, or says why it is refused.
    ///
    /// - Parameter leavingUnread: whether to leave out an instance that rejects its state.
    /// - Throws: when the run ends for another reason, after reporting it.
    private func make(
        _ plan: HostPlan, leavingUnread: Bool
    ) throws(Ended) -> Result<FirstGeneration, Diagnostics> {
        // The last good generation may contain libraries that are in quarantine by now.
        let plan = plan.quarantining(crashes.known())
        let (recovery, stop) = (journal?.recovery, context.process.stop)
        let rehearsed =
            recovery.map { $0.rehearse(plan, images: images, stop: stop) }
            ?? Rehearsal(of: plan, images: images, stop: stop).result()
        guard let tried = rehearsed else {
            throw Ended(.success, "ended before plugins were loaded; nothing was run")
        }
        let member = try member(tried)
        if let predecessor = context.predecessor {
            guard tried.failure == nil else { return .failure(tried.diagnostics) }
            if let member { try predecessor.check(member: member.title) }
            assembler.load(tried)
            try journal?.follow()
            try predecessor.awaitStandstill()
            try journal?.reduceRest()
        }
        let assembled = member == nil ? tried : tried.members(of: [.host])
        do throws(Diagnostics) {
            let assembly: Assembly
            if let recovery {
                assembly = try recovery.assemble(assembled, by: assembler, leavingUnread: leavingUnread)
            } else {
                let file = tried.configuration.stateFile(from: configuration.file.folder)
                assembly = try assembler.assemble(assembled, restoring: try Self.read(file))
            }
            return .success(FirstGeneration(plan: tried, assembly: assembly, member: member))
        } catch {
            return .failure(error)
        }
    }

    /// Loads the libraries, and makes instances whose data lies beside the configuration.
    private var assembler: Assembler {
        Assembler(
            cache: images,
            dependencies: HostDependencies(
                clock: Self.clock, dataDirectory: DataFolder.path(beside: configuration.file.folder),
                timesAll: context.options.isProfiled, flightRecorder: crashes.flightRecorder,
                listeners: context.listeners, limits: context.limits, pauses: pauses,
                report: { [reports = context.reports] in reports.send($0) }),
            startsWorkers: true, debugging: Set(context.options.debugged))
    }

    /// The system clock.
    private static let clock = HostClock(clock: ContinuousClock()) { UnixTime.now }

    /// Reads the state that the previous run left.
    private static func read(_ file: StateFile?) throws(Diagnostics) -> SavedState? {
        do throws(Diagnostic) {
            return try file?.read()
        } catch {
            throw Diagnostics([error])
        }
    }

    /// Makes a member, not yet joined, of the configured cluster; nil without one.
    private func member(_ plan: HostPlan) throws(Ended) -> ClusterHost? {
        let (options, base) = (context.options, configuration.file.folder)
        guard let cluster = plan.configuration.cluster, let place = cluster.place(from: base) else {
            return nil
        }
        // Many machines have the same folder name, which is the default name of other hosts.
        guard options.name != nil || plan.configuration.name != nil else {
            throw Ended(
                .usage,
                "a member of a cluster needs a name that no other member has; give it by --name, or by \"name\" in plugins.json"
            )
        }
        return ClusterHost(
            cluster, at: place,
            PartitionMaker.Terms(
                member: configuration.place.name, clock: Self.clock, pauses: pauses,
                dataDirectory: DataFolder.path(beside: base), timesAll: options.isProfiled,
                flightRecorder: crashes.flightRecorder, onAction: context.onAction),
            plan: plan, images: images, grace: options.grace, reports: context.reports,
            stop: context.process.stop)
    }
}
