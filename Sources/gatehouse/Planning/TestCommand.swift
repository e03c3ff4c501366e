// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse test`: checks that a configuration does what its cases expect.
struct TestCommand: ParsedCommand {
    /// The maximum size of a file of cases in bytes; a device may have no end.
    private static let limit = 64 << 20

    /// The parsed command line.
    private let options: OptionReader
    /// How long the effects of one step may take.
    private let limit: Duration
    /// Where instances run that can run there.
    private let placement: Placement

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        limit = try options.seconds("--limit")
        placement = options["--placement"].flatMap(Placement.init(rawValue:)) ?? .host
    }

    /// A file whose cases can run.
    private struct Ready {
        /// The parsed file.
        let file: CaseFile
        /// The runner that gives each case a host of its own.
        let runner: CaseRunner
    }

    /// Runs the cases and ends the process; returns an exit code only when nothing was done.
    func run() -> ExitCode {
        let reports = Reporter { StandardError.write($0.entry) }
        let process = RunProcess(reports: reports)
        return MainQueue.serve {
            let code = run(process)
            process.end()
            Gatehouse.end(with: code)
        }
    }

    /// Reads all files before the first case runs, to report all problems at once.
    private func run(_ process: RunProcess) -> ExitCode {
        let images = ImageCache(folder: CacheFolder.current)
        var ready: [Ready] = []
        var failures: [ExitCode] = []
        let usual = [CaseFile.name(beside: options["--config"] ?? "plugins.json")]
        for path in options.operands.isEmpty ? usual : options.operands {
            do throws(Ended) {
                ready.append(try prepare(path, images, process))
            } catch {
                failures.append(error.code)
            }
        }
        // The worse failure wins: a wrong file before a refused plugin.
        return failures.max { $0.rawValue < $1.rawValue } ?? run(ready, process)
    }

    /// Reads a file and its configuration, and tries the plugins; throws after reporting what prevents the cases from running.
    private func prepare(
        _ path: String, _ images: ImageCache, _ process: RunProcess
    ) throws(Ended) -> Ready {
        let read: (file: CaseFile?, diagnostics: Diagnostics)
        do {
            let bytes = try SystemFile.bytes(of: path, limit: Self.limit)
            read = CaseFile.parse(bytes, file: path, configuration: options["--config"])
        } catch {
            throw Ended(
                .configuration, "\(path): \(error); name the cases, as in gatehouse test plugins.test.json")
        }
        read.diagnostics.write()
        guard let file = read.file else { throw Ended(code: .configuration) }
        let plan = try ConfigurationFile(path: file.configuration).plan()
        let trial = Result { () throws(Ended) in try plan.tried(images, process.stop) }
        if read.diagnostics.isFailure { throw Ended(code: .configuration) }
        let tried = try trial.get()
        do throws(Diagnostics) {
            let runner = try CaseRunner(
                file, on: tried, images: images, limit: limit, placement: placement
            ) {
                [output = process.output, isJSON = options.isJSON] in Self.give(up: $0, isJSON ? nil : output)
            }
            for sentence in runner.staying { StandardError.tell(sentence) }
            return Ready(file: file, runner: runner)
        } catch {
            error.write()
            throw Ended(code: error.exitCode)
        }
    }

    /// Ends the process because a case does not return: the thread that runs it is lost.
    ///
    /// - Parameter output: takes the result; nil to write it only to standard error.
    private static func give(up outcome: CaseOutcome, _ output: StandardOutput?) {
        output?.writeText(CaseText.text(outcome))
        _ = output?.flush()
        StandardError.tell(
            "the case \(Value.string(outcome.name).quoted) does not come back: \(outcome.failures.map { "\($0.diagnostic)" }.joined())"
        )
        EndGuard.finish()
        _exit(ExitCode.badData.rawValue)
    }

    /// Runs the cases in order, and reports each when it is over.
    private func run(_ ready: [Ready], _ process: RunProcess) -> ExitCode {
        var (passed, failed) = (0, 0)
        var files: [Value] = []
        for (file, runner) in ready.map({ ($0.file, $0.runner) }) {
            if !options.isJSON, ready.count > 1 { process.output.writeText(file.file) }
            var cases: [Value] = []
            for tested in file.cases where !process.stop.isAsked {
                EndGuard.tell { [path = file.file, name = tested.name] in
                    $0.summary = { "gatehouse: \(path): the case \(Value.string(name).quoted) was running" }
                }
                let outcome = runner.outcome(of: tested)
                if outcome.hasPassed { passed += 1 } else { failed += 1 }
                if options.isJSON {
                    cases.append(outcome.json)
                } else {
                    process.output.writeText(CaseText.text(outcome))
                }
            }
            files.append([
                "file": .string(file.file), "config": .string(file.configuration), "cases": .array(cases),
            ])
        }
        if options.isJSON {
            let result: Value = [
                "files": .array(files), "passed": Value(passed), "failed": Value(failed),
            ]
            process.output.writeLine { result.writeJSON(to: &$0, style: .pretty) }
        }
        guard process.output.flush() == 0 else {
            return .internalError.because("the results cannot be written to standard output")
        }
        process.tellWords()
        let total = ready.reduce(0) { $0 + $1.file.cases.count }
        var words = "\(Counted.text(passed, "case")) passed"
        if failed > 0 { words += ", \(failed) failed" }
        if passed + failed < total { words += ", \(total - passed - failed) not run" }
        StandardError.tell(words)
        return failed == 0 ? .success : .badData
    }
}
