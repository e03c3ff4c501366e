// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport

/// Prepares plans for a look back: judges them, tries them in a child, and reports problems.
struct PastPlans {
    /// A plan prevents a command from continuing; the reasons have been reported.
    struct End: Error {
        /// The code with which the command ends.
        let code: ExitCode
    }

    /// The images of all plans.
    let images = ImageCache(folder: CacheFolder.current, trust: FileTrust(isStrict: false))
    /// Ends a rehearsal on request.
    private let stop: StopRequest

    /// Creates plans for a command that runs plugins in a process.
    init(_ process: RunProcess) { stop = process.stop }

    /// The plan of a configuration, with a library that replaces those with its plugin id.
    func plan(_ config: String, with library: String? = nil) -> Result<HostPlan, End> {
        guard let plan = ConfigurationFile(path: config, plugins: nil).plan(with: library) else {
            return .failure(End(code: .configuration))
        }
        let tried =
            plan.diagnostics.isFailure
            ? plan : Rehearsal(of: plan, images: images, stop: stop).result() ?? plan
        tried.diagnostics.write()
        return tried.diagnostics.isFailure
            ? .failure(End(code: tried.diagnostics.exitCode)) : .success(tried)
    }

    /// Reports why a past host cannot be reconstructed, and returns the exit code of the command.
    func tell(_ failure: PastFailure) -> ExitCode {
        switch failure {
        case .diagnostics(let diagnostics):
            diagnostics.write()
            return diagnostics.exitCode
        case .journal(let failure):
            StandardError.writeLine("gatehouse: \(failure)")
            return .badData
        case .forgotten(let sentence):
            StandardError.writeLine("gatehouse: \(sentence)")
            return .badData
        case .unrunnable(let generation):
            StandardError.writeLine("gatehouse: \(generation)")
            return .pluginRefused
        case .child(let sentence):
            StandardError.writeLine("gatehouse: \(sentence)")
            return .internalError
        }
    }
}
