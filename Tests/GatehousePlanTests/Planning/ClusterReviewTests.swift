// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// What is told about instances in different stores of a cluster.
@Suite(.timeLimit(.minutes(10))) struct ClusterReviewTests {
    /// What is told about instances in a cluster of so many partitions.
    private func messages(_ instances: [PlannedInstance], partitions: Int = 4) -> [String] {
        ClusterReview(
            of: instances,
            in: ClusterConfiguration(engine: "redis://a", name: "a", partitions: partitions)
        ).diagnostics.map { "\($0.severity): \($0)" }
    }

    @Test func `an instance in front hears what others there emit, and the host`() throws {
        let web = try PlanExample.instance(
            "web", consumes: ["sent"], emits: ["sent", "came-*"], scope: .host)
        let log = try PlanExample.instance(
            "log", consumes: ["*"],
            lift: .init(input: try PlanExample.map(["web/came-in": "in", "host/*": "host-*"])), scope: .host)
        #expect(messages([web, log]) == [])
    }

    @Test func `an instance in front waits in vain for what only partitions have`() throws {
        let web = try PlanExample.instance("web", emits: ["came-in"], scope: .host)
        let store = try PlanExample.instance("store", consumes: ["save", "drop-*"], scope: .host)
        let orders = try PlanExample.instance(
            "orders", emits: ["save"], lift: .init(output: .prefix("store/")))
        let all = try PlanExample.instance("all", consumes: ["*"], scope: .host)
        #expect(
            messages([web, store, orders, all]) == [
                #"warning: store: in a cluster it hears only what instances of scope "host" emit, and none of them emits "store/save" or "store/drop-*"; let it hear something else, or remove it"#,
                #"warning: all: in a cluster it hears only what instances of scope "host" emit, and none of them emits "*"; let it hear something else, or remove it"#,
            ])
    }

    @Test(arguments: [PluginScope.partition, .host, .cluster])
    func `a gate follows the slice of an instance of the same scope`(scope: PluginScope) throws {
        let gate = GateConfiguration.state(try JSONPointer("/flags/on"))
        let flags = try PlanExample.instance("flags", scope: scope)
        #expect(messages([flags, try PlanExample.instance("a", gate: gate, scope: scope)]) == [])
        #expect(messages([try PlanExample.instance("a", gate: gate, scope: scope)]) == [], "plain state")
    }

    @Test func `a gate cannot follow the slice of an instance of another scope`() throws {
        let gate = GateConfiguration.state(try JSONPointer("/flags/on"))
        let flags = try PlanExample.instance("flags", scope: .cluster)
        #expect(
            messages([flags, try PlanExample.instance("a", gate: gate)]) == [
                #"error: a: at /flags/on is the slice of flags, whose plugin has the scope "cluster" while that of a has the scope "partition", so that they are in different stores of the cluster; let an action move the gate"#
            ])
    }

    /// A gate that an action moves.
    private static let moved = GateConfiguration.action(
        control: "app/sync", at: .whole, turnOn: true, turnOff: false, default: .active)

    @Test func `an action that moves a gate comes to one partition`() throws {
        let instance = try PlanExample.instance("a", gate: Self.moved)
        #expect(
            messages([instance]) == [
                #"warning: a: in a cluster "app/sync" comes to one partition, and moves the gate there alone, because each partition has a gate of its own"#
            ])
        #expect(messages([instance], partitions: 1) == [])
        #expect(messages([try PlanExample.instance("a", gate: Self.moved, scope: .cluster)]) == [])
    }

    @Test func `the gate of an instance in front is moved by what others there emit`() throws {
        let web = try PlanExample.instance("web", gate: Self.moved, scope: .host)
        #expect(
            messages([web]) == [
                #"warning: web: in a cluster an instance of scope "host" hears only what others of this scope emit, and none of them emits "app/sync", so that only gatehouse ctl gate moves the gate"#
            ])
        let app = try PlanExample.instance("app", emits: ["sync"], scope: .host)
        #expect(messages([web, app]) == [])
    }
}
