// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

extension Diagnostics {
    /// Writes problems, refusals and warnings to standard error.
    func write() {
        for diagnostic in problems + refusals {
            StandardError.writeLine(
                diagnostic.description, diagnostic.severity == .error ? .error : .warning)
        }
        for diagnostic in warnings { StandardError.warn("\(diagnostic)") }
    }

    /// The exit code of a command with these diagnostics.
    var exitCode: ExitCode {
        guard isFailure else { return .success }
        return isConfigurationBroken ? .configuration : .pluginRefused
    }
}
