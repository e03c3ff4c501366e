// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseLibrary
internal import GatehouseSupport

/// Makes plans ready for a look back: judged, and tried in a child; says what is wrong.
struct PastPlans {
    /// How a plan keeps a command from going on; everything is said by then.
    struct End: Error {
        /// The code with which the command ends.
        let code: ExitCode
    }

    /// The images of all plans.
    let images = ImageCache(folder: CacheFolder.current, trust: FileTrust(isStrict: false))
    /// Is asked to end a rehearsal.
    private let stop: StopRequest

    /// Plans of a command that runs plugins in a process.
    init(_ process: RunProcess) { stop = process.stop }

    /// The plan of a configuration, with a library in the place of those with its plugin id.
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

    /// Says why a host cannot be brought to where it was, and gives the code with which a command ends.
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
