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
        SignalDescriptor.ignoreBrokenPipe()
        let signals = SignalDescriptor.open()
        let reports = ReportDesk { StandardError.writeLine($0.description) }
        let file = ConfigurationFile(path: options.config, plugins: options.plugins)
        guard var configuration = file.read() else { return .configuration }
        if let wrap = options.wrap { configuration = configuration.wrapping(wrap) }
        let output = StandardOutput()
        let printAction: @Sendable (AnyAction) -> Void = { Self.print($0, to: output) }
        let host: Host
        let leftOut: Set<String>
        do {
            let outcome = options.keepsGoing ? configuration.keepingGoing : configuration
            let assembly = try assembler(file.folder, reports).assemble(outcome)
            leftOut = configuration.requiredIDs.subtracting(assembly.instanceIDs)
            assembly.findings.write()
            host = Host(
                assembly, reports: reports, signals: signals,
                onAction: options.print == .actions ? printAction : nil)
        } catch {
            error.write()
            return error.exitCode
        }
        let code = run(host, reports, output)
        // What was asked for did not run in full; anything worse comes first.
        return code == .success && !leftOut.isEmpty ? .pluginRefused : code
    }

    /// Finds, judges and loads relative to the folder of the configuration.
    private func assembler(_ base: String, _ reports: ReportDesk) -> Assembler {
        let clock = HostClock(clock: ContinuousClock()) {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        return Assembler(
            cache: ImageCache(),
            dependencies: HostDependencies(
                clock: clock, dataDirectory: base + "/data", report: { reports.send($0) }),
            trust: FileTrust(isStrict: options.isStrict), baseDirectory: base)
    }

    /// Reads the input to its end and prints the result.
    private func run(_ host: Host, _ reports: ReportDesk, _ output: StandardOutput) -> ExitCode {
        let isStandardInput = options.input == "-"
        let name = isStandardInput ? "standard input" : options.input
        let input = isStandardInput ? STDIN_FILENO : unsafe open(options.input, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else {
            StandardError.writeLine("gatehouse: \(name): \(SystemReason.last); name the input with --input")
            return .usage
        }
        defer { if !isStandardInput { close(input) } }
        if isStandardInput, isatty(STDIN_FILENO) == 1 {
            StandardError.writeLine(
                "gatehouse: reading actions from the terminal, one JSON object a line; Ctrl-D ends")
        }
        var progress = ProgressLine()
        let showsProgress = StandardError.isTerminal
        let summary: Host.Summary
        do {
            summary = try host.run(
                descriptor: input, name: name, isStrict: options.isStrict, mostTurnedAway: mostTurnedAway,
                onLine: { if showsProgress { progress.update(lines: $0) } }, onWait: { output.setQuiet($0) })
        } catch {
            progress.finish()
            reports.tellRest()
            StandardError.writeLine("gatehouse: \(error)")
            return .usage
        }
        progress.finish()
        return finish(host, reports, summary, output)
    }

    /// How many lines may be turned away before reading ends.
    private var mostTurnedAway: Int {
        if case .lines(let most) = options.maximumRejected { most } else { .max }
    }

    /// Prints the state and what was counted.
    private func finish(
        _ host: Host, _ reports: ReportDesk, _ summary: Host.Summary, _ output: StandardOutput
    ) -> ExitCode {
        if options.print == .state {
            do {
                let state = try host.snapshot()
                output.writeLine { state.writeJSON(to: &$0, style: .pretty) }
            } catch {
                StandardError.writeLine("gatehouse: the state cannot be printed: \(error)")
                return .internalError
            }
        }
        let failure = output.flush()
        reports.tellRest()
        let objection = RejectionLimit.objection(to: summary, limit: options.maximumRejected)
        if let objection { StandardError.writeLine("gatehouse: \(objection)") }
        StandardError.writeLine(
            "gatehouse: " + SummaryLine.text(summary, host.counts, badData: reports.badDataCount))
        if failure != 0, failure != EPIPE {
            StandardError.writeLine(
                "gatehouse: standard output: \(SystemReason.text(of: failure))")
            return .internalError
        }
        return summary.stoppedAtBadData || objection != nil ? .badData : .success
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
