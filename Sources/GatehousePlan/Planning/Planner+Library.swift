// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehouseSDK
internal import GatehouseSupport

extension Planner {
    /// The plan of a host that runs one library, under the id of its plugin and without a configuration.
    ///
    /// - Parameters:
    ///   - library: the path of the library.
    ///   - settings: the settings of its instance, an object.
    package static func plan(of library: String, settings: Value, trust: FileTrust) -> HostPlan {
        let (folder, name) = SystemFile.parts(of: library)
        let candidate = PluginFolder.candidate(name, in: folder, trust: trust)
        var configuration = HostConfiguration(directory: folder, discovery: .ignore)
        guard let id = candidate.pluginID else {
            let refusal = Diagnostic(
                .error, refusing: candidate.path, for: nil,
                because: candidate.verdict.refusals.map(\.description))
            return HostPlan(
                configuration: configuration, entries: [], spares: [], diagnostics: Diagnostics([refusal]))
        }
        configuration.instances = [InstanceConfiguration(id: id, library: name, settings: settings)]
        return Planner(trust: trust, baseDirectory: ".").plan(ConfigurationOutcome(of: configuration))
    }
}
