// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSDK
private import Glibc

/// `gatehouse run`: load, read, run, print.
struct RunCommand {
    /// What the command line says.
    let options: RunOptions

    /// Does everything and tells how it ended.
    func run() -> ExitCode {
        guard OpenFiles.haveRoom() else {
            StandardError.writeLine(
                "gatehouse: no \(OpenFiles.room) more files can be opened, which a run needs beside its libraries; raise the limit with ulimit -n"
            )
            return .internalError
        }
        let handed = HandedSockets.take()
        let reports = ReportDesk { StandardError.writeLine($0.description) }
        let process = RunProcess(reports: reports)
        defer { process.end() }
        let service = NotifySocket { StandardError.writeLine("gatehouse: warning: " + $0) }
        let file = ConfigurationFile(path: options.config, plugins: options.plugins)
        guard let first = file.read() else { return .configuration }
        var configuration = first
        var known: FileStamps?
        if options.watches || options.isService(first.readable) {
            // What changes while it is looked at is noticed later.
            let directory = first.readable ?? HostConfiguration()
            known = FileStamps(
                of: file.isFolder ? nil : file.path, folder: directory.folder(from: file.folder))
            configuration = file.readAgain()
        }
        let trust = FileTrust(isStrict: options.isStrict)
        let planner = Planner(trust: trust, baseDirectory: file.folder)
        let plan = planner.plan(options.adapt(configuration))
        let images = ImageCache(folder: CacheFolder.current, trust: trust)
        let place = ControlPlace(options: options, file: file, configuration: configuration)
        let socket: ControlSocket?
        do {
            socket = try place.open()
        } catch {
            StandardError.writeLine("gatehouse: the control socket: \(error)")
            return .configuration
        }
        defer { socket?.remove() }
        let printAction: @Sendable (AnyAction) -> Void = { [output = process.output] in
            Self.print($0, to: output)
        }
        let host: Host
        let inputs: RunInputs
        let reloader: Reloader?
        let leftOut: Set<String>
        let stateFile: StateFile?
        do {
            guard let tried = Rehearsal(of: plan, images: images, stop: process.stop).result() else {
                StandardError.writeLine("gatehouse: ended before plugins were loaded; nothing was run")
                return .success
            }
            stateFile = tried.configuration.stateFile(from: file.folder)
            let assembly = try assembler(images, file.folder, reports)
                .assemble(tried, restoring: try read(stateFile))
            leftOut = configuration.requiredIDs.subtracting(assembly.instanceIDs)
            assembly.findings.write()
            // Before any plugin is started: what it opens may be another host's.
            guard
                let opened = RunInputs.open(options, assembly.configuration.ingress, in: file.folder, handed)
            else { return .usage }
            inputs = opened
            host = Host(
                assembly, reports: reports, stop: process.stop,
                onAction: options.print == .actions ? printAction : nil)
            let procedure = ReloadProcedure(host, running: tried, grace: options.grace) { [options] in
                planner.plan(options.adapt(file.readAgain()))
            }
            reloader = procedure.map { Reloader($0) { Self.tell($0, service) } }
            if let reloader {
                process.follow(host, with: reloader, watching: known.map { (file, $0) })
            }
        } catch {
            error.write()
            return error.exitCode
        }
        // It is not let go of before the process ends: everything is told by then, and code of plugins that runs so late could
        // only turn a good run into a crash.
        _ = unsafe Unmanaged.passRetained(host)
        process.watch(host)
        inputs.tell()
        if let socket {
            StandardError.writeLine("gatehouse: \(place.name) can be controlled at \(socket.path)")
        }
        let control = host.serve(socket, as: place.name, reloading: reloader)
        defer { withExtendedLifetime(control) {} }
        service?.follow(process.stop)
        service?.watch()
        service?.tell(.ready, .status("running \(Counted.text(host.instanceIDs.count, "instance"))"))
        let code = run(host, inputs, reports, process)
        service?.tell(.stopping)
        if let stateFile, !save(host, to: stateFile) { return .internalError }
        // What was asked for did not run in full; anything worse comes first.
        return code == .success && !leftOut.isEmpty ? .pluginRefused : code
    }

    /// What the run before has left.
    private func read(_ file: StateFile?) throws(Findings) -> SavedState? {
        do throws(Finding) {
            return try file?.read()
        } catch {
            throw Findings([error])
        }
    }

    /// Leaves the state for the next run; false, after saying so, when that cannot be done.
    private func save(_ host: Host, to file: StateFile) -> Bool {
        do {
            try file.write(try host.saved())
            return true
        } catch {
            StandardError.writeLine(
                "gatehouse: \(file.path): the state cannot be written: \(error); the file is as it was before this run"
            )
            return false
        }
    }

    /// Tells of a reload as `check` would, and the service manager, if there is one.
    private static func tell(_ event: Reloader.Event, _ service: NotifySocket?) {
        guard case .ended(let outcome) = event else {
            service?.tell(.reloading)
            return
        }
        service?.tell(.ready, .status("\(outcome)"))
        // Whoever touched a file without changing anything has not asked.
        if case .unchanged = outcome.result, outcome.triggers == [.change], outcome.findings.all.isEmpty {
            return
        }
        outcome.findings.write()
        StandardError.writeLine("gatehouse: \(outcome)")
    }

    /// Loads, and makes instances whose data lies beside the configuration.
    private func assembler(_ images: ImageCache, _ base: String, _ reports: ReportDesk) -> Assembler {
        let clock = HostClock(clock: ContinuousClock()) {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        return Assembler(
            cache: images,
            dependencies: HostDependencies(
                clock: clock, dataDirectory: DataFolder.path(beside: base), timesAll: options.isProfiled,
                report: { reports.send($0) }))
    }

    /// Reads the inputs to their end and prints the result.
    private func run(
        _ host: Host, _ inputs: RunInputs, _ reports: ReportDesk, _ process: RunProcess
    ) -> ExitCode {
        defer { inputs.close() }
        if inputs.hasStandardInput, isatty(STDIN_FILENO) == 1 {
            StandardError.writeLine(
                "gatehouse: reading actions from the terminal, one JSON object a line; Ctrl-D ends")
        }
        var progress = ProgressLine()
        let showsProgress = StandardError.isTerminal
        let summary: Host.Summary
        do {
            summary = try host.run(
                inputs.all, isStrict: options.isStrict, mostTurnedAway: mostTurnedAway,
                grace: options.grace,
                onLine: { if showsProgress { progress.update(lines: $0) } },
                onWait: { process.output.setQuiet($0) },
                onGrace: { if process.stop.isAsked { tellGrace($0) } })
        } catch {
            progress.finish()
            reports.tellRest()
            StandardError.writeLine("gatehouse: \(error)")
            return .usage
        }
        progress.finish()
        return finish(host, reports, summary, process)
    }

    /// Says what the end waits for.
    private func tellGrace(_ work: [UnfinishedWork]) {
        StandardError.writeLine(
            "gatehouse: waiting at most \(options.grace.inSeconds) for \(work.map(SummaryLine.text).joined(separator: ", "))"
        )
    }

    /// How many lines may be turned away before reading ends.
    private var mostTurnedAway: Int {
        if case .lines(let most) = options.maximumRejected { most } else { .max }
    }

    /// Prints the state and what was counted.
    private func finish(
        _ host: Host, _ reports: ReportDesk, _ summary: Host.Summary, _ process: RunProcess
    ) -> ExitCode {
        if options.print == .state {
            do {
                let state = try host.snapshot()
                process.output.writeLine { state.writeJSON(to: &$0, style: .pretty) }
            } catch {
                StandardError.writeLine("gatehouse: the state cannot be printed: \(error)")
                return .internalError
            }
        }
        let failure = process.output.flush()
        process.tellWords()
        reports.tellRest()
        let objection = RejectionLimit.objection(to: summary, limit: options.maximumRejected)
        if let objection { StandardError.writeLine("gatehouse: \(objection)") }
        for work in summary.givenUp {
            StandardError.writeLine(
                "gatehouse: \(SummaryLine.text(work)) had not finished after \(options.grace.inSeconds) and "
                    + "\(work.count == 1 ? "is" : "are") given up; allow more time with --grace")
        }
        let counts = host.counts
        if options.isProfiled {
            for instance in counts.instances {
                StandardError.writeLine("gatehouse: " + ProfileText.line(instance))
            }
        }
        StandardError.writeLine(
            "gatehouse: " + SummaryLine.text(summary, counts, badData: reports.badDataCount))
        if failure != 0 {
            StandardError.writeLine(
                "gatehouse: standard output: "
                    + (failure == EPIPE ? "its reader has left" : SystemReason.text(of: failure))
                    + (summary.stop == nil ? "" : "; the run ended early"))
            return .internalError
        }
        if summary.stoppedAtBadData || objection != nil { return .badData }
        if !counts.failures.isEmpty { return options.isStrict ? .badData : .givenUp }
        return summary.givenUp.isEmpty ? .success : .givenUp
    }

    /// Writes one action in its wire form; one that does not encode is reported.
    private static func print(_ action: AnyAction, to output: StandardOutput) {
        do {
            try output.writeLine { bytes throws(CodingFailure) in try action.writeWireForm(to: &bytes) }
        } catch {
            StandardError.writeLine("gatehouse: \(action.type) cannot be printed: \(error)")
        }
    }
}
