// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

/// What cannot be where an instance runs in a worker.
@Suite(.timeLimit(.minutes(10))) struct WorkerReviewTests {
    /// What is told about entries, with a counter, a logger and an interceptor beside the file.
    private func messages(_ entries: String) throws -> [String] {
        try PlanExample.messages(
            #"{ "directory": ".", "discovery": "ignore", "plugins": [\#(entries)] }"#,
            libraries: ["CounterPlugin", "LoggerPlugin", "InterceptorPlugin"]
        ).map { $0.replacing("plugins.json:", with: "") }
    }

    @Test func `an instance that only hears and answers can run there`() throws {
        #expect(try messages(#"{ "id": "counter", "placement": "worker" }"#) == [])
        #expect(
            try messages(
                #"{ "id": "counter", "placement": "worker", "lift": { "dependencies": ["clock", "data"] } }"#)
                == [])
    }

    @Test func `one that decides about actions cannot`() throws {
        #expect(
            try messages(#"{ "id": "interceptor", "placement": "worker" }"#) == [
                #"1:92: /plugins/0/placement: the plugin interceptor decides about actions before anybody else hears them, and they cannot wait for another process; run it in the host"#
            ])
    }

    @Test func `what a plugin needs beyond a worker's rights is granted by its entry`() throws {
        let plan = { (grant: String) in
            try PlanExample.messages(
                #"{ "directory": ".", "discovery": "ignore", "plugins": [{ "id": "file", "placement": "worker"\#(grant) }] }"#,
                libraries: ["FilePlugin"]
            ).map { $0.replacing("plugins.json:", with: "") }
        }
        #expect(
            try plan("") == [
                #"1:85: /plugins/0/placement: the plugin file changes files outside of its folder for data, and its entry grants it none; name their folders, as in "grant": { "files": ["/srv/exports"] }, or run it in the host"#
            ])
        #expect(try plan(#", "grant": { "files": ["/tmp"] }"#) == [])
        #expect(
            try plan(#", "grant": { "files": ["/tmp", "/nonexistent"] }"#) == [
                #"1:124: /plugins/0/grant/files/1: expected a folder, found none at "/nonexistent"; make it, or correct the path"#
            ])
    }

    @Test func `what it is to read is there`() throws {
        let plan = { (paths: String) in
            try messages(
                #"{ "id": "counter", "placement": "worker", "grant": { "read": [\#(paths)] } }"#)
        }
        #expect(try plan(#""/etc/hostname", "/etc""#) == [])
        #expect(
            try plan(#""/etc", "/nonexistent""#) == [
                #"1:126: /plugins/0/grant/read/1: expected a file or a folder, found none at "/nonexistent"; correct the path"#
            ])
        #expect(
            try plan(#""etc""#) == [
                #"1:118: /plugins/0/grant/read/0: expected a path that begins with a slash, found "etc"; write the whole path of a folder"#
            ])
    }

    @Test func `a plugin that uses the network needs a grant, and one that listens a grant for the place`()
        throws
    {
        let plan = { (id: String, library: String, grant: String) in
            try PlanExample.messages(
                #"{ "directory": ".", "discovery": "ignore", "plugins": [{ "id": "\#(id)", "placement": "worker"\#(grant) }] }"#,
                libraries: [library]
            ).map { $0.replacing("plugins.json:", with: "") }
        }
        let grant = #", "grant": { "network": ["connect:127.0.0.1:80"] }"#
        #expect(
            try plan("http-client", "HTTPClientPlugin", "") == [
                #"1:92: /plugins/0/placement: the plugin http-client uses the network, and its entry grants it no connection and no socket; name what it connects to, and where it listens, as in "grant": { "network": ["connect:api.example.com:443"] }, or run it in the host"#
            ])
        #expect(try plan("http-client", "HTTPClientPlugin", grant) == [])
        #expect(try plan("serving", "ServingPlugin", #", "grant": { "network": ["listen:[::1]:80"] }"#) == [])
        #expect(
            try plan("http", "HTTPPlugin", grant) == [
                #"1:85: /plugins/0/placement: the plugin http brings actions as an input does, which only an instance in the host can; run it in the host"#
            ])
    }

    @Test func `two instances, or one twice, are not to listen at one place`() throws {
        let plan = { (entries: String) in
            try PlanExample.messages(
                #"{ "directory": ".", "discovery": "ignore", "plugins": [\#(entries)] }"#,
                libraries: ["ServingPlugin"]
            ).map { $0.replacing("plugins.json:", with: "") }
        }
        let serving = { (id: String, places: String) in
            #"{ "id": "\#(id)", "library": "libServingPlugin.so", "placement": "worker", "grant": { "network": [\#(places)] } }"#
        }
        let (one, other) = (#""listen:127.0.0.1:80""#, #""listen:127.0.0.1:81""#)
        #expect(try plan(serving("a", one) + "," + serving("b", other)) == [])
        #expect(
            try plan(serving("a", one) + "," + serving("b", one)) == [
                #"1:269: /plugins/1/grant/network/0: a is to listen at 127.0.0.1:80 already; grant b another port"#
            ])
        #expect(
            try plan(serving("a", one + "," + one)) == [
                #"1:171: /plugins/0/grant/network/1: "listen:127.0.0.1:80" is there twice; remove one of them"#
            ])
    }

    @Test func `where the settings say where it listens, that place must be granted`() throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let review = { (place: Value?, grants: [NetworkGrant]) in
            let manifest = PluginManifest(
                id: "echo", version: version, summary: "", principal: "P", consumes: [],
                settings: [
                    "properties": ["at": ["type": "string", "x-listens": true, "default": "127.0.0.1:7"]]
                ])
            var entry = InstanceConfiguration(
                id: "echo", settings: place.map { ["at": $0] } ?? [:], lift: .standard)
            entry.placement = .worker
            entry.grant.network = grants
            let planned = PlannedInstance(entry, manifest: manifest)
            // Without a place in a file an instance is refused by itself.
            return WorkerReview(of: [planned], inCluster: false).refused.values.flatMap(\.sentences)
        }
        let granted = try #require(ListeningGrant(place: "127.0.0.1:7"))
        #expect(review(nil, [.listener(granted)]) == [])
        #expect(
            review("127.0.0.1:8", [.listener(granted)]) == [
                #"the plugin echo listens at 127.0.0.1:8, which its entry does not let it do in a worker; add "listen:127.0.0.1:8" to "grant"/"network", or run it in the host"#
            ])
        #expect(
            review("unix:/run/echo", [.listener(granted)]) == [
                "the plugin echo listens at unix:/run/echo, which it cannot do in a worker; run it in the host"
            ])
    }

    @Test func `rights that are no rights are refused, and those of one in the host are useless`() throws {
        #expect(
            try messages(#"{ "id": "counter", "placement": "worker", "grant": { "files": ["srv"] } }"#) == [
                #"1:119: /plugins/0/grant/files/0: expected a path that begins with a slash, found "srv"; write the whole path of a folder"#
            ])
        #expect(
            try messages(#"{ "id": "counter", "grant": { "files": ["/srv"] } }"#) == [
                #"1:84: warning: /plugins/0/grant: in the host counter has all rights of the host, so this grants nothing; add "placement": "worker", or remove it"#
            ])
    }

    @Test func `other rights make an instance in a worker anew, and change nothing in the host`() throws {
        let plan = { (placement: Placement, files: [String]) in
            PlanExample.plan([
                try PlanExample.instance("a", placement: placement, grant: GrantConfiguration(files: files))
            ])
        }
        let inWorker = try PlanDifference(from: plan(.worker, []), to: plan(.worker, ["/srv"]))
        #expect(inWorker.changes.map(\.step) == [.replace(.grant)])
        #expect(inWorker.lines == ["replace a: other rights"])
        let connecting = { (port: UInt16) in
            PlanExample.plan([
                try PlanExample.instance(
                    "a", placement: .worker,
                    grant: GrantConfiguration(network: [.connection(ConnectionGrant(host: "b", port: port))]))
            ])
        }
        let other = try PlanDifference(from: connecting(1), to: connecting(2))
        #expect(other.changes.map(\.step) == [.replace(.grant)])
        #expect(try PlanDifference(from: connecting(1), to: connecting(1)).isEmpty)
        let inHost = try PlanDifference(from: plan(.host, []), to: plan(.host, ["/srv"]))
        #expect(inHost.changes.map(\.step) == [.keep])
    }

    @Test(arguments: ["state", "control", "ingress"])
    func `one that is granted what lies in the host cannot`(dependency: String) throws {
        #expect(
            try messages(
                #"{ "id": "counter", "placement": "worker", "lift": { "dependencies": ["clock", "\#(dependency)"] } }"#
            ) == [
                #"1:88: /plugins/0/placement: the dependency "\#(dependency)" leads into the host, which a worker cannot reach; remove it, or run counter in the host"#
            ])
    }

    @Test func `no gate of another follows its state`() throws {
        let entries = { (placement: String) in
            #"{ "id": "counter", "placement": "\#(placement)" }, { "id": "logger", "gate": { "state": "/counter/count" } }"#
        }
        #expect(try messages(entries("host")) == [])
        #expect(
            try messages(entries("worker")) == [
                #"1:137: /plugins/1/gate/state: the gate follows /counter/count, and counter, which keeps that, runs in a worker, so it changes only after others have heard the action; let an action move the gate, or run counter in the host"#
            ])
    }

    @Test func `a placement that is none is refused`() throws {
        #expect(
            try messages(#"{ "id": "counter", "placement": "wroker" }"#) == [
                #"1:88: /plugins/0/placement: expected "host", "worker" or "worker:NAME", found "wroker"; did you mean "worker"?"#
            ])
    }

    @Test func `the placement at the top holds for entries without one, and for discovered libraries`() throws
    {
        let configuration = ConfigurationParser.parse(
            Array(
                #"{ "placement": "worker", "plugins": [{ "id": "a" }, { "id": "b", "placement": "host" }, { "id": "c", "placement": "worker" }] }"#
                    .utf8), file: "plugins.json")
        #expect(configuration.readable?.placement == PlacementPolicy(.worker))
        #expect(configuration.readable?.instances.map(\.placement) == [nil, .host, .worker])
    }

    @Test func `a discovered library that cannot run where the policy puts it takes no part`() throws {
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "placement": "worker" }"#,
            libraries: ["CounterPlugin", "InterceptorPlugin"])
        #expect(plan.failure == nil)
        #expect(plan.instances.map(\.id) == ["counter"])
        let sentence =
            "the plugin interceptor decides about actions before anybody else hears them, and they cannot wait for another process; run it in the host"
        let found = plan.diagnostics.all.filter { $0.severity == .warning }
        #expect(found.map(\.sentences) == [[sentence]])
        #expect(found.map(\.instance) == ["interceptor"])
    }

    @Test func `another placement makes the instance anew`() throws {
        let inHost = PlanExample.plan([try PlanExample.instance("a")])
        let inWorker = PlanExample.plan([try PlanExample.instance("a", placement: .worker)])
        let away = PlanDifference(from: inHost, to: inWorker)
        #expect(away.changes.map(\.step) == [.replace(.placement)])
        #expect(away.lines == ["move a into a worker"])
        #expect(PlanDifference(from: inWorker, to: inHost).lines == ["move a into the host"])
        #expect(PlanDifference(from: inWorker, to: inWorker).isEmpty)
    }

    @Test(arguments: [(PluginScope.partition, true), (.host, false)])
    func `in a cluster, an instance that is in partitions cannot`(scope: PluginScope, isRefused: Bool) throws
    {
        let instance = try PlanExample.instance("a", scope: scope, placement: .worker)
        let sentence =
            "a member of a cluster runs a once in each of its partitions, and those have no workers; run it in the host"
        let found = WorkerReview(of: [instance], inCluster: true)
        #expect(found.diagnostics.isEmpty)
        #expect(found.refused.mapValues(\.sentences) == (isRefused ? ["a": [sentence]] : [:]))
        #expect(WorkerReview(of: [instance], inCluster: false).refused.isEmpty)
    }

    @Test func `an instance whose state opens the gate of another stays in the host, others do not`() throws {
        let plan = PlanExample.plan([
            try PlanExample.instance("switches", lift: LiftConfiguration(state: JSONPointer("/switches"))),
            try PlanExample.instance("lamp", gate: .state(JSONPointer("/switches/lamp"))),
            try PlanExample.instance("bell", gate: .state(JSONPointer("/switches/bell"))),
            try PlanExample.instance("door", gate: .state(JSONPointer("/elsewhere"))),
        ])
        #expect(plan.workerObstacles == ["switches": "the gate of lamp follows its state"])
    }
}
