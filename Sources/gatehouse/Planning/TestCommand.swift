// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse test`: checks that a configuration does what its cases expect.
struct TestCommand {
    /// The maximum size of a file of cases in bytes; a device may have no end.
    private static let limit = 64 << 20

    /// The options of the command line.
    let options: TestOptions

    /// A file whose cases can run.
    private struct Ready {
        /// The parsed file.
        let file: CaseFile
        /// The runner that gives each case a host of its own.
        let runner: CaseRunner
    }

    /// Runs the cases and ends the process; returns an exit code only when nothing was done.
    func run() -> ExitCode {
        let reports = Reporter { StandardError.writeLine($0.description) }
        let process = RunProcess(reports: reports)
        return MainQueue.serve {
            let code = run(process)
            process.end()
            Gatehouse.end(with: code)
        }
    }

    /// Reads all files before the first case runs, to report all problems at once.
    private func run(_ process: RunProcess) -> ExitCode {
        let images = ImageCache(folder: CacheFolder.current, trust: FileTrust(isStrict: false))
        var ready: [Ready] = []
        var failure: ExitCode?
        for path in options.paths {
            switch prepare(path, images, process) {
            case .success(let found): ready.append(found)
            // The worse failure wins: a wrong file before a refused plugin.
            case .failure(let code):
                failure = failure.map { $0.rawValue < code.exit.rawValue ? code.exit : $0 } ?? code.exit
            }
        }
        if let failure { return failure }
        return run(ready, process)
    }

    /// A file prevents the cases from running; the reasons have been reported.
    private struct Unready: Error {
        /// The code with which the command ends.
        let exit: ExitCode
    }

    /// Reads a file and its configuration, and tries the plugins.
    private func prepare(
        _ path: String, _ images: ImageCache, _ process: RunProcess
    ) -> Result<Ready, Unready> {
        let read: (file: CaseFile?, diagnostics: Diagnostics)
        do {
            let bytes = try SystemFile.bytes(of: path, limit: Self.limit)
            read = CaseFile.parse(bytes, file: path, configuration: options.config)
        } catch {
            StandardError.writeLine(
                "gatehouse: \(path): \(error); name the cases, as in gatehouse test plugins.test.json")
            return .failure(Unready(exit: .configuration))
        }
        read.diagnostics.write()
        guard let file = read.file else { return .failure(Unready(exit: .configuration)) }
        guard let plan = ConfigurationFile(path: file.configuration, plugins: nil).plan() else {
            return .failure(Unready(exit: .configuration))
        }
        let tried =
            plan.diagnostics.isFailure
            ? plan : Rehearsal(of: plan, images: images, stop: process.stop).result() ?? plan
        tried.diagnostics.write()
        if read.diagnostics.isFailure { return .failure(Unready(exit: .configuration)) }
        if tried.diagnostics.isFailure { return .failure(Unready(exit: tried.diagnostics.exitCode)) }
        do throws(Diagnostics) {
            return .success(
                Ready(
                    file: file,
                    runner: try CaseRunner(file, on: tried, images: images, limit: options.limit) {
                        [output = process.output, isJSON = options.isJSON] in
                        Self.give(up: $0, isJSON ? nil : output)
                    }))
        } catch {
            error.write()
            return .failure(Unready(exit: error.exitCode))
        }
    }

    /// Ends the process because a case does not return: the thread that runs it is lost.
    ///
    /// - Parameter output: takes the result; nil to write it only to standard error.
    private static func give(up outcome: CaseOutcome, _ output: StandardOutput?) {
        output?.writeText(CaseText.text(outcome))
        _ = output?.flush()
        StandardError.writeLine(
            "gatehouse: the case \(Value.string(outcome.name).quoted) does not come back: \(outcome.failures.map { "\($0.diagnostic)" }.joined())"
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
            StandardError.writeLine("gatehouse: the results cannot be written to standard output")
            return .internalError
        }
        process.tellWords()
        let total = ready.reduce(0) { $0 + $1.file.cases.count }
        var words = "\(Counted.text(passed, "case")) passed"
        if failed > 0 { words += ", \(failed) failed" }
        if passed + failed < total { words += ", \(total - passed - failed) not run" }
        StandardError.writeLine("gatehouse: " + words)
        return failed == 0 ? .success : .badData
    }
}
