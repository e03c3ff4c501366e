// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSupport

extension PastFailure {
    /// Reports why a past host cannot be reconstructed, and returns the exit code of the command.
    func report() -> ExitCode {
        switch self {
        case .diagnostics(let diagnostics):
            diagnostics.write()
            return diagnostics.exitCode
        case .journal(let failure): return .badData.because("\(failure)")
        case .forgotten(let sentence): return .badData.because(sentence)
        case .unrunnable(let generation): return .pluginRefused.because("\(generation)")
        case .fallen: return .pluginRefused.because("\(self)")
        case .child(let sentence): return .internalError.because(sentence)
        }
    }
}
