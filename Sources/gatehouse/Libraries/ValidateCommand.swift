// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseChecks
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse validate`: checks that a plugin does what every plugin should.
struct ValidateCommand {
    /// The library to check, and how.
    let options: ValidateOptions

    /// Performs the checks and prints the results; returns whether the plugin is as expected.
    func run() -> ExitCode {
        let checks: [ValidationCheck]
        do throws(UnknownCheck) {
            checks = try ValidationCheck.selected(by: options.only)
        } catch {
            return complain("--only: \(error)")
        }
        if options.lists { return list(checks) }
        // An interrupt must not leave processes of the plugin running.
        let signals = gatehouse_signals_open()
        do throws(PluginFile.Problem) {
            let (actions, states) = try recordings()
            let settings = try settings()
            let validation: Validation
            do throws(LibraryFileError) {
                validation = try Validation(
                    path: options.file, seed: options.seed, input: actions, states: states,
                    settings: settings, images: ImageCache(folder: CacheFolder.current),
                    stop: signals < 0 ? nil : signals)
            } catch {
                throw PluginFile.Problem(sentence: "\(error)")
            }
            let code = tell(validation, checks)
            if validation.isStopped { gatehouse_end_by_signal(gatehouse_signals_next(signals)) }
            return code
        } catch {
            return complain(error.sentence)
        }
    }

    /// Prints the names of checks, each with its expectation.
    private func list(_ checks: [ValidationCheck]) -> ExitCode {
        if options.isJSON {
            let all = checks.map { check -> Value in
                ["name": .string(check.name), "expectation": .string(check.expectation)]
            }
            Results.write(.array(all))
        } else {
            let width = checks.map(\.name.count).max() ?? 0
            for check in checks {
                Results.writeLine(Self.padded(check.name, to: width) + "  " + check.expectation)
            }
        }
        return .success
    }

    /// Performs the checks.
    private func tell(_ validation: Validation, _ checks: [ValidationCheck]) -> ExitCode {
        // The results may include further checks that others rely on.
        let width = ValidationCheck.all.map(\.name.count).max() ?? 0
        let results = validation.perform(checks) { result in
            guard !options.isJSON else { return }
            Results.write(Self.lines(result, width: width))
            // The next check may take long.
            _ = fflush(nil)
        }
        for warning in validation.warnings { StandardError.writeLine("gatehouse: warning: " + warning) }
        if validation.isStopped { return .pluginRefused }
        let isBad = results.contains(where: \.isBad)
        if options.isJSON {
            Results.write(Self.report(validation, results))
        } else {
            Results.writeLine(Self.counts(results, seed: validation.seed))
        }
        return isBad ? .pluginRefused : .success
    }

    /// Reads the actions and states of the named files.
    private func recordings() throws(PluginFile.Problem) -> (
        actions: [RecordedAction], states: [RecordedState]
    ) {
        let manifest =
            options.input == nil
            ? nil : try? LibraryInspection(path: options.file).verdict.note?.manifest
        var (actions, states): ([RecordedAction], [RecordedState]) = ([], [])
        if let path = options.input {
            for (number, line) in try PluginFile(path: path).lines() {
                do throws(ActionRejection) {
                    if let action = try RecordedAction(line: line, number: number, hearing: manifest) {
                        actions.append(action)
                    }
                } catch {
                    throw PluginFile.Problem(sentence: "\(path):\(error)")
                }
            }
        }
        if let path = options.states {
            let file = PluginFile(path: path)
            for (number, line) in try file.lines() where !line.allSatisfy(\.isWhitespace) {
                states.append(try file.state(line, at: "\(path):\(number)"))
            }
        }
        return (actions, states)
    }

    /// Reads the settings of the named file; an empty object without one.
    private func settings() throws(PluginFile.Problem) -> Value {
        try options.settings.map { path throws(PluginFile.Problem) in
            try PluginFile(path: path).settings(for: options.file)
        } ?? .object(Members())
    }

    /// Reports what is wrong with the command line.
    private func complain(_ sentence: String) -> ExitCode {
        StandardError.writeLine("gatehouse: " + sentence)
        return .usage
    }

    // MARK: - Texts

    /// A result for people: outcome and name on one line, details on the lines below.
    private static func lines(_ result: CheckResult, width: Int) -> String {
        let first =
            result.sentences.count == 1
            ? [padded(result.outcome.rawValue, to: 5), padded(result.name, to: width), result.sentences[0]]
            : [padded(result.outcome.rawValue, to: 5), result.name]
        let rest = result.sentences.count == 1 ? [] : result.sentences
        return ([first.joined(separator: "  ")] + (rest + result.calls).map { "         " + $0 })
            .map { $0 + "\n" }.joined()
    }

    /// The number of checks with each outcome.
    private static func counts(_ results: [CheckResult], seed: UInt64) -> String {
        let words: [(CheckOutcome, String)] = [
            (.pass, "passed"), (.warn, "warned"), (.fail, "failed"), (.crash, "crashed"), (.skip, "skipped"),
        ]
        let parts = words.compactMap { outcome, word -> String? in
            let count = results.count { $0.outcome == outcome }
            return count > 0 ? "\(count) \(word)" : nil
        }
        return "\(Counted.text(results.count, "check")): \(parts.joined(separator: ", ")); seed \(seed)"
    }

    /// The whole report, for programs.
    private static func report(_ validation: Validation, _ results: [CheckResult]) -> Value {
        let manifest = validation.inspection.verdict.note?.manifest
        var counts = Members()
        for outcome in CheckOutcome.allCases {
            counts[outcome.rawValue] = Value(results.count { $0.outcome == outcome })
        }
        return [
            "ok": .bool(!results.contains(where: \.isBad)), "path": .string(validation.inspection.path),
            "sha256": validation.inspection.digest.map { .string($0.hex) } ?? .null,
            "plugin": manifest.map { .string($0.id) } ?? .null,
            "version": manifest.map { .string("\($0.version)") } ?? .null, "seed": Value(validation.seed),
            "counts": .object(counts), "checks": .array(results.map(\.value)),
        ]
    }

    /// Pads a text with blanks to a width in characters.
    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
