// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// The parts of a plan that the stores of a member of a cluster have.
@Suite(.timeLimit(.minutes(10))) struct HostPlanScopesTests {
    /// A plan with an instance of each scope and one that was not found, and with a problem and a warning if asked for.
    private func plan(isInCluster: Bool = true, _ diagnostics: [Diagnostic] = []) throws -> HostPlan {
        let instances = [
            try PlanExample.instance("web", scope: .host), try PlanExample.instance("orders"),
            try PlanExample.instance("clock", scope: .cluster), try PlanExample.instance("rules"),
        ]
        return HostPlan(
            configuration: HostConfiguration(
                cluster: isInCluster ? ClusterConfiguration(engine: "redis://a", name: "a") : nil),
            entries: instances.map { .init(id: $0.id, isOptional: false, outcome: .accepted($0)) }
                + [.init(id: "gone", isOptional: true, outcome: .missing("it is not there"))],
            spares: [], diagnostics: Diagnostics(diagnostics))
    }

    @Test(
        arguments: [
            ([.host], ["web"]), ([.partition], ["orders", "rules"]),
            ([.partition, .cluster], ["orders", "clock", "rules"]),
            ([.host, .partition, .cluster], ["web", "orders", "clock", "rules"]),
        ] as [(Set<PluginScope>, [String])])
    func `a store has the instances of its scopes, in chain order`(scopes: Set<PluginScope>, ids: [String])
        throws
    {
        #expect(try plan().members(of: scopes).instances.map(\.id) == ids)
    }

    @Test func `without a cluster there is one store with all of them`() throws {
        let plan = try plan(isInCluster: false)
        #expect(plan.members(of: [.host]).entries.map(\.id) == ["web", "orders", "clock", "rules", "gone"])
    }

    @Test func `what takes no part and what there is to tell is told once`() throws {
        let warning = Diagnostic(.warning, "a warning")
        let problem = Diagnostic(.error, "a problem")
        let plan = try plan([warning, problem])
        let (front, partition) = (plan.members(of: [.host]), plan.members(of: [.partition]))
        #expect(front.entries.map(\.id) == ["web", "gone"])
        #expect(front.diagnostics.all == plan.diagnostics.all)
        #expect(partition.entries.map(\.id) == ["orders", "rules"])
        #expect(partition.diagnostics.all == [problem])
    }

    @Test func `scopes are shown where there is a cluster`() throws {
        let clustered = try plan()
        #expect(clustered.listing["instances"]?[0]?["scope"] == "host")
        #expect(clustered.listing["instances"]?[1]?["scope"] == "partition")
        #expect(clustered.routing([])["chain"]?[2]?["scope"] == "cluster")
        let alone = try plan(isInCluster: false)
        #expect(alone.listing["instances"]?[0]?["scope"] == nil)
        #expect(alone.routing([])["chain"]?[0]?["scope"] == nil)
    }

    @Test func `a file is reviewed as that of a cluster only when it is one`() throws {
        let plugins = #""directory": ".", "discovery": "ignore", "plugins": [{ "id": "persistence" }]"#
        let message =
            #"plugins.json:1:107: warning: /plugins/0: in a cluster it hears only what instances of scope "host" emit, and none of them emits "persistence/save", "persistence/delete", "persistence/request", "persistence/cancel" or "persistence/cancelAll"; let it hear something else, or remove it"#
        #expect(
            try PlanExample.messages(
                #"{ "cluster": { "engine": "redis://a", "name": "a" }, \#(plugins) }"#,
                libraries: ["PersistencePlugin"]) == [message])
        #expect(try PlanExample.messages("{ \(plugins) }", libraries: ["PersistencePlugin"]) == [])
    }
}
