// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What passes all checks of `gatehouse validate`.
@Suite(.timeLimit(.minutes(10))) struct ValidatePassingTests {
    @Test(arguments: [
        "Aggregate", "Counter", "CrashReports", "File", "HTTP", "HTTPClient", "JQ", "Limit", "Logger",
        "Persistence", "Rules", "Schedule",
    ])
    func `a bundled plugin passes all checks`(name: String) throws {
        let outcome = try ValidatedPlugin(target: name + "Plugin").validate(arguments: ["--json"])
        let report = try JSONReport(outcome.output)
        // Warnings about time and memory depend on what else the machine does.
        let unexpected = report.checks.filter { check in
            !["pass", "skip"].contains(check.outcome)
                && !(check.outcome == "warn"
                    && (check.name.hasPrefix("resources/") || check.name.hasSuffix("-time")))
        }
        #expect(unexpected.isEmpty, "\(unexpected)")
        #expect(report.checks.count >= 45)
        #expect(outcome.exitCode == 0)
    }

    @Test func `the fixture of the defects has none by itself`() throws {
        let outcome = try ValidatedPlugin.defective().validate(
            only: "manifest", "settings", "state", "actions", "effects", "gate", "process")
        #expect(
            !outcome.output.contains("fail ") && !outcome.output.contains("crash ")
                && !outcome.output.contains("warn "), "\(outcome.output)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `the fixture of the defects has none with settings either`() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"rate":7,"mode":"slow"}"#, to: "settings.json")
        let outcome = try ValidatedPlugin.defective().validate(
            only: "settings", "state", "gate", arguments: ["--settings", folder("settings.json")])
        #expect(outcome.output.contains("passed, 1 skipped; seed 1\n"), "\(outcome.output)")
        #expect(outcome.exitCode == 0)
    }
}
