// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse probe`: executes the requests of a test, line by line, on one plugin.
struct ProbeCommand {
    /// The plugin to load, and how.
    let options: ProbeOptions

    /// Answers each line of standard input with one line on standard output, and nothing else.
    func run() -> ExitCode {
        let settings: Value
        let state: RecordedState?
        do throws(PluginFile.Problem) {
            settings =
                try options.settings.map { path throws(PluginFile.Problem) in
                    try PluginFile(path: path).settings(for: options.file)
                } ?? .object(Members())
            state = try options.state.map { path throws(PluginFile.Problem) in
                let file = PluginFile(path: path)
                return try file.state(String(decoding: try file.bytes(), as: UTF8.self), at: path)
            }
        } catch {
            StandardError.writeLine("gatehouse: " + error.sentence)
            return .usage
        }
        let process = RunProcess(reports: Reporter { StandardError.writeLine($0.description) })
        defer { process.end() }
        process.output.setInputIdle(true)
        let trust = FileTrust(isStrict: false)
        let images = ImageCache(folder: CacheFolder.current, trust: trust)
        let plan = Planner.plan(of: options.file, settings: settings, trust: trust)
        let tried =
            plan.diagnostics.isFailure
            ? plan : Rehearsal(of: plan, images: images, stop: process.stop).result() ?? plan
        tried.diagnostics.write()
        if tried.diagnostics.isFailure { return tried.diagnostics.exitCode }
        EndGuard.tell { $0.summary = { "gatehouse: the plugin was being started" } }
        let probe: ProbeRun
        do throws(Diagnostics) {
            probe = try ProbeRun(
                tried, restoring: state, clock: options.clock, limit: options.limit, images: images
            ) { [output = process.output] in Self.give(up: $0, output) }
        } catch {
            error.write()
            return error.exitCode
        }
        return run(probe, process)
    }

    /// Ends the process because a line does not return: the thread that executes it is lost.
    private static func give(up result: ProbeResult, _ output: StandardOutput) {
        write(result, to: output)
        _ = output.flush()
        EndGuard.finish()
        _exit(ExitCode.badData.rawValue)
    }

    /// Writes a result.
    private static func write(_ result: ProbeResult, to output: StandardOutput) {
        output.writeLine { result.json.writeJSON(to: &$0, style: .compact) }
    }

    /// Executes the lines of the input, from the start of the plugin to its end.
    private func run(_ probe: ProbeRun, _ process: RunProcess) -> ExitCode {
        var isBad = false
        /// Writes a result; returns false when nothing can follow.
        func tell(_ result: ProbeResult) -> Bool {
            Self.write(result, to: process.output)
            isBad = isBad || result.isBad
            return !result.isLast
        }
        var reader = LineReader(
            descriptor: STDIN_FILENO, name: "standard input", wakeDescriptor: process.stop.descriptor)
        var goesOn = tell(probe.start())
        do throws(IngressError) {
            reading: while goesOn {
                switch try reader.next() {
                case .line(let line):
                    EndGuard.tell { [number = line.number] in
                        $0.summary = { "gatehouse: line \(number) of the input was being done" }
                    }
                    if let result = probe.take(line) { goesOn = tell(result) }
                case .tooLong(let line, let bytes): goesOn = tell(probe.tooLong(line: line, bytes: bytes))
                case .interrupted, .dry, .end: break reading
                }
            }
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            return .internalError
        }
        EndGuard.tell { $0.summary = { "gatehouse: the plugin was being stopped" } }
        if goesOn { _ = tell(probe.stop()) }
        guard process.output.flush() == 0 else {
            StandardError.writeLine("gatehouse: the results cannot be written to standard output")
            return .internalError
        }
        return isBad ? .badData : .success
    }
}
