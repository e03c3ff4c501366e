// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSupport

extension Findings {
    /// Writes problems, refusals and warnings to standard error.
    func write() {
        for finding in problems + refusals { StandardError.writeLine(finding.description) }
        for finding in warnings { StandardError.writeLine("gatehouse: warning: \(finding)") }
    }

    /// The exit code of a command with these findings.
    var exitCode: ExitCode {
        guard isFailure else { return .success }
        return isConfigurationBroken ? .configuration : .pluginRefused
    }
}
