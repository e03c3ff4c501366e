// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseLibrary
private import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse run`: prepares everything, in the order in which it may fail, and leaves the rest to a `Run`.
struct RunCommand {
    /// The parsed command line.
    let options: RunOptions

    /// Ends the command before anything has run; the reason has been reported.
    struct Ended: Error {
        /// The code with which the process exits.
        let code: ExitCode
    }

    /// Runs the host and ends the process; returns an exit code only when nothing was done.
    func run() -> ExitCode {
        guard OpenFiles.haveRoom() else {
            StandardError.writeLine(
                "gatehouse: a run needs to open \(OpenFiles.room) files beside its libraries, and the limit is too low; raise the limit with ulimit -n"
            )
            return .internalError
        }
        let handed = HandedSockets.take()
        let link = SupervisorLink.take()
        let reports = Reporter { StandardError.writeLine($0.description) }
        let process = RunProcess(reports: reports)
        return MainQueue.serve {
            let code: ExitCode
            do throws(Ended) {
                code = try run(handed, link, reports, process)
            } catch {
                code = error.code
            }
            process.end()
            Gatehouse.end(with: code)
        }
    }

    /// Runs the host in a process that is ready.
    private func run(
        _ handed: HandedSockets, _ link: Int32?, _ reports: Reporter, _ process: RunProcess
    ) throws(Ended) -> ExitCode {
        let service = NotifySocket { StandardError.writeLine("gatehouse: warning: " + $0) }
        let listeners = RunListeners(handed, keeper: service)
        let file = ConfigurationFile(path: options.config, plugins: options.plugins)
        let (configuration, known) = try read(file)
        let trust = FileTrust(isStrict: options.isStrict)
        let planner = Planner(trust: trust, baseDirectory: file.folder)
        let place = ControlPlace(options: options, file: file, configuration: configuration)
        let expected = expected(of: configuration, beside: file.folder)
        let supervise = expected?.supervise ?? SuperviseConfiguration()
        let crashes = CrashLog(
            link: link, service: options.isService(expected) ? place.name : nil, beside: file.folder,
            supervise)
        defer { crashes.end() }
        EndGuard.tell { $0.isSupervised = crashes.isSupervised }
        Pulse(
            crashes.flightRecorder, limit: options.watchdog, hang: .seconds(supervise.hang),
            isSupervised: crashes.isSupervised
        ).begin()
        let written = planner.plan(options.adapt(configuration))
        let socket = try open(place)
        defer { socket?.remove() }
        let images = ImageCache(folder: CacheFolder.current, trust: trust)
        let kept = try openJournal(written.quarantining(crashes.known()), file.folder, process)
        if let kept { crashes.note(kept.recovery) }
        let plan = written.quarantining(crashes.known())
        let print: @Sendable (DispatchedAction<AnyAction>) -> Void = { [output = process.output] in
            Self.print($0.action, to: output)
        }
        let onAction = options.print == .actions ? print : nil
        var member: ClusterHost?
        let ready = try prepare(plan, kept, process) { (plan, leavesUnread) throws(Refused) in
            // The last good generation may contain libraries that are in quarantine by now.
            let plan = plan.quarantining(crashes.known())
            guard let tried = Self.rehearse(plan, kept?.recovery, images, process) else {
                throw Refused.stopped
            }
            do throws(Ended) {
                member = try makeMember(
                    tried, place.name, images, file.folder, crashes.flightRecorder, reports, process,
                    onAction: onAction)
            } catch {
                throw .ended(error)
            }
            let assembly = try assemble(
                member == nil ? tried : tried.members(of: [.host]),
                restoring: tried.configuration.stateFile(from: file.folder), kept?.recovery,
                leavingUnread: leavesUnread, images, file.folder, reports, crashes.flightRecorder, listeners)
            return (tried, assembly)
        }
        guard let ready else {
            StandardError.writeLine("gatehouse: ended before plugins were loaded; nothing was run")
            return .success
        }
        let tried = ready.plan
        // Nothing else uses it: the closure that made it has returned.
        nonisolated(unsafe) let assembly = ready.assembly
        let stateFile = tried.configuration.stateFile(from: file.folder)
        let made = member == nil ? unsafe assembly.instanceIDs : tried.instances.map(\.id)
        let leftOut = ready.refused == nil ? configuration.requiredIDs.subtracting(made) : []
        unsafe assembly.diagnostics.write()
        // Before any plugin is started, because what it opens may belong to another host.
        guard let inputs = unsafe RunInputs.open(options, assembly.configuration, in: file.folder, handed)
        else { return .usage }
        if let member { try join(member, tried.configuration, or: inputs.close) }
        if let kept, ready.refused != nil { Diagnostics(kept.journal.keepImages(of: tried)).write() }
        let host = makeHost(unsafe assembly, kept, member, reports, process, onAction: onAction)
        // The host is never released: everything has been reported by the end, and plugin code that runs so late could only
        // turn a good run into a crash.
        _ = unsafe Unmanaged.passRetained(host)
        let history = tried.configuration.journalFolder(from: file.folder).map {
            HistorySource(
                path: file.path, isFolder: file.isFolder, base: file.folder, journal: $0,
                isStrict: options.isStrict)
        }
        let procedure = ReloadProcedure(
            host, in: member, running: member == nil ? tried.running(host.instanceIDs) : tried,
            grace: options.grace, history: history
        ) { [options, crashes] released in
            planner.plan(options.adapt(file.readAgain())).quarantining(crashes.known(without: released))
        }
        if let refused = ready.refused {
            procedure?.noteRefusedStart(refused.diagnostics, refused.sentence)
        }
        let reloader = procedure.map {
            Reloader($0, release: { [crashes] in crashes.release($0) }) { Self.tell($0, service) }
        }
        if let reloader { process.follow(host, with: reloader, watching: known.map { (file, $0) }) }
        if let reloader { member?.onReload { trigger in EventLoop.perform { reloader.reload(trigger) } } }
        host.leaveOut(crashes.known())
        if let reloader {
            host.onRelease { digest in
                EventLoop.perform {
                    crashes.release(digest)
                    reloader.reload(.action)
                }
            }
        }
        process.watch(host, crashes.flightRecorder)
        process.stop.onAsk { [flightRecorder = crashes.flightRecorder] in flightRecorder.noteStop() }
        inputs.tell()
        if let socket {
            StandardError.writeLine("gatehouse: \(place.name) can be controlled at \(socket.path)")
        }
        let control = host.serve(
            socket, as: place.name, reloading: reloader, past: history.map { HistoryService($0) },
            cluster: member, crashes: { crashes.account })
        defer { withExtendedLifetime(control) {} }
        service?.follow(process.stop)
        service?.watch()
        let running = "running \(Counted.text(host.instanceIDs.count, "instance"))"
        service?.tell(.ready, .status(ready.refused.map { "degraded: \($0.sentence)" } ?? running))
        if let member { try begin(member) }
        let code = Run(
            options: options, host: host, inputs: inputs, reports: reports, process: process, member: member
        ).finish()
        service?.tell(.stopping)
        do {
            try host.closeJournal()
        } catch {
            StandardError.writeLine(
                "gatehouse: \(error); unacknowledged input was not processed")
            return .journalFailed
        }
        if let stateFile, !save(host, to: stateFile) { return .internalError }
        // Something that was requested did not run; a worse result takes precedence.
        return code == .success && !leftOut.isEmpty ? .pluginRefused : code
    }

    // MARK: - Getting ready

    /// Reads the configuration, and its file stamps from before where changes are watched.
    private func read(_ file: ConfigurationFile) throws(Ended) -> (ConfigurationOutcome, FileStamps?) {
        guard let first = file.read() else { throw Ended(code: .configuration) }
        let expected = expected(of: first, beside: file.folder)
        guard options.watches || options.isService(expected) else { return (first, nil) }
        // Changes during the look are noticed later.
        let known = FileStamps(
            of: file.isFolder ? nil : file.path,
            folder: (expected ?? HostConfiguration()).folder(from: file.folder))
        return (file.readAgain(), known)
    }

    /// The configuration; where it cannot be read, that of the last good generation, which a service may run instead.
    private func expected(of outcome: ConfigurationOutcome, beside folder: String) -> HostConfiguration? {
        if let readable = outcome.readable { return readable }
        return options.startsStrictly ? nil : JournalPointer.last(beside: folder)?.configuration
    }

    /// Opens the control socket.
    private func open(_ place: ControlPlace) throws(Ended) -> ControlSocket? {
        do {
            return try place.open()
        } catch {
            StandardError.writeLine("gatehouse: the control socket: \(error)")
            throw Ended(code: .configuration)
        }
    }

    /// Loads the libraries, and makes instances whose data lies beside the configuration.
    private func assemble(
        _ plan: HostPlan, restoring file: StateFile?, _ recovery: Recovery?, leavingUnread: Bool,
        _ images: ImageCache, _ base: String, _ reports: Reporter, _ flightRecorder: FlightRecorder,
        _ listeners: RunListeners
    ) throws(Refused) -> Assembly {
        let assembler = Assembler(
            cache: images,
            dependencies: HostDependencies(
                clock: Self.clock, dataDirectory: DataFolder.path(beside: base), timesAll: options.isProfiled,
                flightRecorder: flightRecorder, listeners: listeners, report: { reports.send($0) }))
        do throws(Diagnostics) {
            if let recovery {
                return try recovery.assemble(plan, by: assembler, leavingUnread: leavingUnread)
            }
            return try assembler.assemble(plan, restoring: try Self.read(file))
        } catch {
            throw .refused(error)
        }
    }

    /// The system clock.
    private static var clock: HostClock {
        HostClock(clock: ContinuousClock()) {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }

    // MARK: - In a cluster

    /// Makes a member, not yet joined, of the configured cluster; nil without one.
    private func makeMember(
        _ plan: HostPlan, _ name: String, _ images: ImageCache, _ base: String,
        _ flightRecorder: FlightRecorder,
        _ reports: Reporter, _ process: RunProcess,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) throws(Ended) -> ClusterHost? {
        guard let cluster = plan.configuration.cluster, let access = cluster.access(from: base) else {
            return nil
        }
        // Many machines have the same folder name, which is the default name of other hosts.
        guard options.name != nil || plan.configuration.name != nil else {
            StandardError.writeLine(
                "gatehouse: a member of a cluster needs a name that no other member has; give it by --name, or by \"name\" in plugins.json"
            )
            throw Ended(code: .usage)
        }
        return ClusterHost(
            cluster, by: access,
            PartitionMaker.Terms(
                member: name, clock: Self.clock, dataDirectory: DataFolder.path(beside: base),
                timesAll: options.isProfiled, flightRecorder: flightRecorder, onAction: onAction),
            plan: plan, images: images, grace: options.grace, reports: reports, stop: process.stop)
    }

    /// Joins the cluster, unless something known in advance forbids it.
    ///
    /// - Parameter close: closes what was opened, where the member cannot join.
    private func join(_ member: ClusterHost, _ configuration: HostConfiguration, or close: () -> Void)
        throws(Ended)
    {
        do {
            try member.join()
        } catch {
            let place = configuration.cluster.map { " \($0.name) at \($0.engine)" } ?? ""
            StandardError.writeLine("gatehouse: the cluster\(place) cannot be joined: \(error)")
            close()
            throw Ended(code: .journalFailed)
        }
    }

    /// Starts taking partitions.
    private func begin(_ member: ClusterHost) throws(Ended) {
        guard member.begin() else {
            StandardError.writeLine("gatehouse: the system refuses threads for the partitions of the cluster")
            throw Ended(code: .internalError)
        }
    }

    // MARK: - With a journal

    /// Makes the host, which with a journal resumes where the previous run ended.
    private func makeHost(
        _ assembly: sending Assembly, _ kept: (journal: HostJournal, recovery: Recovery)?,
        _ member: ClusterHost?, _ reports: Reporter, _ process: RunProcess,
        onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
    ) -> Host {
        let admission: any Admission =
            if let member {
                PartitionedAdmission(member.gateway.router, elsewhere: member.gateway)
            } else if let kept {
                JournalledAdmission(kept.journal, from: kept.recovery)
            } else {
                DirectAdmission()
            }
        let host = Host(
            assembly, by: admission, reports: reports, stop: process.stop, onAction: onAction)
        guard let recovery = kept?.recovery else { return host }
        Diagnostics(recovery.diagnostics).write()
        if let sentence = recovery.summary { StandardError.writeLine("gatehouse: \(sentence)") }
        return host
    }

    /// Reads the state that the previous run left.
    private static func read(_ file: StateFile?) throws(Diagnostics) -> SavedState? {
        do throws(Diagnostic) {
            return try file?.read()
        } catch {
            throw Diagnostics([error])
        }
    }

    // MARK: - While it runs, and behind it

    /// Saves the state for the next run; false, after reporting it, when that fails.
    private func save(_ host: Host, to file: StateFile) -> Bool {
        do {
            try file.write(try host.saved())
            return true
        } catch {
            StandardError.writeLine(
                "gatehouse: \(file.path): the state cannot be written: \(error); the file is unchanged since before this run"
            )
            return false
        }
    }

    /// Reports a reload as `check` would, and informs the service manager, if there is one.
    private static func tell(_ event: Reloader.Event, _ service: NotifySocket?) {
        switch event {
        case .begun: service?.tell(.reloading)
        case .idle: service?.tell(.ready)
        case .ended(let outcome):
            service?.tell(.ready, .status("\(outcome)"))
            outcome.diagnostics.write()
            StandardError.writeLine("gatehouse: \(outcome)")
        }
    }

    /// Writes one action in its wire form; reports one that cannot be encoded.
    private static func print(_ action: AnyAction, to output: StandardOutput) {
        do {
            try output.writeLine { bytes throws(CodingFailure) in try action.writeWireForm(to: &bytes) }
        } catch {
            StandardError.writeLine("gatehouse: \(action.type) cannot be printed: \(error)")
        }
    }
}
