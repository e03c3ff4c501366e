// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseChecks
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse validate`: checks that a plugin does what every plugin should.
struct ValidateCommand: ParsedCommand {
    /// The parsed command line.
    private let options: OptionReader
    /// The library; empty when the checks are only listed.
    private let library: String
    /// The seed of the random payloads.
    private let seed: UInt64

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        seed = try options.number("--seed", from: 0, expected: "a whole number from 0 on") ?? 1
        library = options.operands.first ?? ""
        if library.isEmpty, !options.has("--list") {
            throw .missingArgument("a library file", command: "validate")
        }
    }

    /// Performs the checks and prints the results; returns whether the plugin is as expected.
    func run() throws(Ended) -> ExitCode {
        let checks: [ValidationCheck]
        do throws(UnknownCheck) {
            checks = try ValidationCheck.selected(
                by: options["--only"].map { $0.split(separator: ",").map(String.init) } ?? [])
        } catch {
            return .usage.because("--only: \(error)")
        }
        if options.has("--list") { return list(checks) }
        // An interrupt must not leave processes of the plugin running.
        let signals = gatehouse_signals_open()
        let (actions, states) = try recordings()
        let settings = try PluginFile.settings(in: options["--settings"], for: library)
        let validation: Validation
        do throws(LibraryFileError) {
            validation = try Validation(
                path: library, seed: seed, input: actions, states: states, settings: settings,
                images: ImageCache(folder: CacheFolder.current), stop: signals < 0 ? nil : signals)
        } catch {
            return .usage.because("\(error)")
        }
        let code = tell(validation, checks)
        if validation.isStopped { gatehouse_end_by_signal(gatehouse_signals_next(signals)) }
        return code
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
            for check in checks { Results.writeLine(check.name.padded(to: width) + "  " + check.expectation) }
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
        for warning in validation.warnings { StandardError.tell("warning: " + warning) }
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
    private func recordings() throws(Ended) -> (
        actions: [ExampleAction], states: [VersionedState]
    ) {
        let manifest =
            options.has("--input")
            ? try? LibraryInspection(path: library).verdict.note?.manifest : nil
        var (actions, states): ([ExampleAction], [VersionedState]) = ([], [])
        if let path = options["--input"] {
            for (number, line) in try PluginFile(path: path).lines() {
                do throws(ActionRejection) {
                    if let action = try ExampleAction(line: line, number: number, hearing: manifest) {
                        actions.append(action)
                    }
                } catch {
                    throw Ended(.usage, "\(path):\(error)")
                }
            }
        }
        if let path = options["--states"] {
            let file = PluginFile(path: path)
            for (number, line) in try file.lines() where !line.allSatisfy(\.isWhitespace) {
                states.append(try file.state(line, at: "\(path):\(number)"))
            }
        }
        return (actions, states)
    }

    // MARK: - Texts

    /// A result for people: outcome and name on one line, details on the lines below.
    private static func lines(_ result: CheckResult, width: Int) -> String {
        let first =
            result.sentences.count == 1
            ? [result.outcome.rawValue.padded(to: 5), result.name.padded(to: width), result.sentences[0]]
            : [result.outcome.rawValue.padded(to: 5), result.name]
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
}
