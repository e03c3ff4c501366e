// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
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
            plan.findings.isFailure ? plan : Rehearsal(of: plan, images: images, stop: stop).result() ?? plan
        tried.findings.write()
        return tried.findings.isFailure
            ? .failure(End(code: tried.findings.exitCode)) : .success(tried)
    }

    /// Reports why a past host cannot be reconstructed, and returns the exit code of the command.
    func tell(_ failure: PastFailure) -> ExitCode {
        switch failure {
        case .findings(let findings):
            findings.write()
            return findings.exitCode
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
