// SPDX-License-Identifier: Apache-2.0

internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// The host of a run, whose instances have started, and which keeps its state when it stops.
struct StartedHost: RunComponent {
    /// The host.
    let host: Host
    /// The process around the run.
    private let process: RunProcess
    /// Names the inputs to leave out, and shows what the host is doing.
    private let crashes: CrashLog
    /// The file for the state; nil for none.
    private let stateFile: StateFile?
    /// The instances that must run and do not.
    private let leftOut: Set<String>
    /// What limits workers.
    private let limits: WorkerLimits

    /// Makes the host, which with a journal resumes where the previous run ended.
    init(
        _ generation: FirstGeneration, _ configuration: RunConfiguration, _ crashes: CrashLog,
        _ journal: RunJournal?, _ traces: RunTraces, _ context: RunContext
    ) {
        let plan = generation.plan
        if let journal, generation.refused != nil {
            Diagnostics(journal.journal.keepImages(of: plan)).write()
        }
        let isMember = generation.member != nil
        let made = isMember ? plan.instances.map(\.id) : generation.assembly.instanceIDs
        leftOut = generation.refused == nil ? configuration.requiredIDs.subtracting(made) : []
        stateFile = plan.configuration.stateFile(from: configuration.file.folder)
        (process, limits) = (context.process, context.limits)
        self.crashes = crashes
        host = Self.host(generation, journal, traces, context)
        // The host is never released: everything has been reported by the end, and plugin code that runs so late could only
        // turn a good run into a crash.
        _ = unsafe Unmanaged.passRetained(host)
    }

    /// Makes the host of a generation.
    private static func host(
        _ generation: FirstGeneration, _ journal: RunJournal?, _ traces: RunTraces, _ context: RunContext
    ) -> Host {
        // Nothing else uses it: the generation is gone before the host runs.
        nonisolated(unsafe) let assembly = generation.assembly
        let admission: any Admission =
            if let member = generation.member {
                PartitionedAdmission(member.gateway.router, elsewhere: member.gateway)
            } else if let journal {
                JournalledAdmission(journal.journal, from: journal.recovery)
            } else {
                DirectAdmission()
            }
        let host = unsafe Host(
            assembly, by: admission, reports: context.reports, stop: context.process.stop,
            onAction: context.onAction, tracer: traces.tracer(for: generation.plan.configuration.traces))
        guard let recovery = journal?.recovery else { return host }
        Diagnostics(recovery.diagnostics).write()
        if let sentence = recovery.summary { StandardError.tell("\(sentence)") }
        return host
    }

    func start() {
        host.leaveOut(crashes.known())
        process.watch(host, crashes.flightRecorder)
        process.stop.onAsk { [flightRecorder = crashes.flightRecorder] in flightRecorder.noteStop() }
    }

    func stop(_ code: ExitCode) -> ExitCode {
        // The state is kept by then. The system would end them after this process, and leave their groups.
        defer { limits.finish { host.endWorkers() } }
        do {
            try host.closeJournal()
        } catch {
            return .journalFailed.because("\(error); unacknowledged input was not processed")
        }
        if let stateFile, !save(to: stateFile) { return .internalError }
        // Something that was requested did not run; a worse result takes precedence.
        return code == .success && !leftOut.isEmpty ? .pluginRefused : code
    }

    /// Saves the state for the next run; false, after reporting it, when that fails.
    private func save(to file: StateFile) -> Bool {
        do {
            try file.write(try host.saved())
            return true
        } catch {
            StandardError.tell(
                "\(file.path): the state cannot be written: \(error); the file is unchanged since before this run",
                .error)
            return false
        }
    }
}
