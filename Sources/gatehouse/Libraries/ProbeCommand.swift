// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse probe`: executes the requests of a test, line by line, on one plugin.
struct ProbeCommand: ParsedCommand {
    /// The parsed command line.
    private let options: OptionReader
    /// The time at which the run begins, in seconds since 1970-01-01 00:00 UTC.
    private let clock: Double
    /// How long the effects of one line may take.
    private let limit: Duration

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        clock =
            try options.value(
                "--clock", expected: "a moment such as 2026-01-31T12:00:00Z", UnixTime.seconds(in:))
            ?? ProbeRun.firstMoment
        limit = try options.seconds("--limit")
    }

    /// Answers each line of standard input with one line on standard output, and nothing else.
    func run() throws(Ended) -> ExitCode {
        let library = options.operands[0]
        let settings = try PluginFile.settings(in: options["--settings"], for: library)
        let state = try options["--state"].map { path throws(Ended) in
            let file = PluginFile(path: path)
            return try file.state(String(decoding: try file.bytes(), as: UTF8.self), at: path)
        }
        let process = RunProcess(reports: Reporter { StandardError.write($0.entry) })
        defer { process.end() }
        process.output.setInputIdle(true)
        let images = ImageCache(folder: CacheFolder.current)
        let planned = Planner.plan(of: library, settings: settings, trust: images.trust)
        try process.giveWay(for: [planned])
        let plan = try planned.tried(images, process.stop)
        EndGuard.tell { $0.summary = { "gatehouse: the plugin was being started" } }
        let probe: ProbeRun
        do throws(Diagnostics) {
            probe = try ProbeRun(
                plan, restoring: state, clock: clock, limit: limit, images: images
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
            return .internalError.because("\(error)")
        }
        EndGuard.tell { $0.summary = { "gatehouse: the plugin was being stopped" } }
        if goesOn { _ = tell(probe.stop()) }
        guard process.output.flush() == 0 else {
            return .internalError.because("the results cannot be written to standard output")
        }
        return isBad ? .badData : .success
    }
}
