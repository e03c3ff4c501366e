// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSupport

extension Findings {
    /// Says on standard error what keeps the host from starting, or only deserves a look.
    func write() {
        for finding in problems + refusals { StandardError.writeLine(finding.description) }
        for finding in warnings { StandardError.writeLine("gatehouse: warning: \(finding)") }
    }

    /// How a command ends that has found this.
    var exitCode: ExitCode {
        guard isFailure else { return .success }
        return isConfigurationBroken ? .configuration : .pluginRefused
    }
}
