// SPDX-License-Identifier: Apache-2.0

package import GatehouseHostTesting
private import GatehouseLibrary
package import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
private import GatehouseSupport
private import Testing

/// Plans for tests: of instances that are made up, or of real libraries in a folder.
package enum PlanExample {
    /// An instance of a plugin that declares this.
    package static func instance(
        _ id: String, consumes: [String] = [], emits: [String] = [], lift: LiftConfiguration = .standard,
        gate: GateConfiguration = .active, allow: [String]? = nil, scope: PluginScope = .partition,
        placement: Placement = .host, grant: GrantConfiguration = GrantConfiguration()
    ) throws -> PlannedInstance {
        let version = try #require(SemanticVersion("1.0.0"))
        var manifest = PluginManifest(
            id: "plugin", version: version, summary: "", principal: "P", consumes: consumes, emits: emits)
        manifest.scope = scope
        var configuration = InstanceConfiguration(id: id, settings: [:], lift: lift)
        configuration.gate = gate
        configuration.placement = placement
        configuration.grant = grant
        configuration.allow = try allow.map { try $0.map { try #require(TypePattern($0)) } }
        return PlannedInstance(
            configuration,
            manifest: manifest)
    }

    /// A map of names.
    package static func map(_ lines: KeyValuePairs<String, String>) throws -> NameLift {
        .map(
            NameMap(
                try lines.map {
                    NameMap.Entry(from: try #require(TypePattern($0)), to: try #require(TypePattern($1)))
                }))
    }

    /// A plan of these instances, in this order.
    package static func plan(_ instances: [PlannedInstance], state: Value = [:]) -> HostPlan {
        var configuration = HostConfiguration()
        configuration.state = state
        return HostPlan(
            configuration: configuration,
            entries: instances.map { .init(id: $0.id, isOptional: false, outcome: .accepted($0)) },
            spares: [], diagnostics: Diagnostics())
    }

    /// The plan of a configuration beside real libraries.
    package static func plan(
        _ configuration: String, libraries: [String], prepare: (TemporaryFolder) throws -> Void = { _ in }
    ) throws -> HostPlan {
        let folder = try TemporaryFolder()
        for library in libraries { try folder.copyLibrary(library) }
        try prepare(folder)
        return Planner(trust: FileTrust(isStrict: false), baseDirectory: folder.path)
            .plan(ConfigurationParser.parse(Array(configuration.utf8), file: "plugins.json"))
    }

    /// What the plan of entries in a folder with libraries is told about: problems, then warnings.
    package static func messages(_ configuration: String, libraries: [String]) throws -> [String] {
        let folder = try TemporaryFolder()
        for library in libraries { try folder.copyLibrary(library) }
        let plan = Planner(trust: FileTrust(isStrict: false), baseDirectory: folder.path)
            .plan(ConfigurationParser.parse(Array(configuration.utf8), file: "plugins.json"))
        return plan.diagnostics.all.filter { $0.severity != .doubt }
            .map { $0.description.replacing(folder.path, with: "<folder>") }
    }
}
