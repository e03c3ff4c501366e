// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// A Redis and members of the cluster `shop`, each a process with a folder of its own, whom operators ask; not thread-safe.
final class OperatedCluster {
    /// The engine.
    let redis: RedisServer
    /// Where the control sockets are.
    private let sockets: TemporaryFolder
    /// How many partitions there are.
    private let partitions: Int
    /// The members, by name.
    private var members: [String: (scene: Scene, process: ChildProcess)] = [:]

    /// A cluster with one member, `a`, which has all partitions when this returns.
    init(partitions: Int = 8, plugins: String = "", libraries: [String] = []) throws {
        redis = try RedisServer()
        sockets = try TemporaryFolder()
        self.partitions = partitions
        try join("a", plugins: plugins, libraries: libraries)
        try wait(for: "a", toSay: "has \(partitions) of \(partitions) partitions, 1 member")
    }

    /// Starts a member.
    ///
    /// - Parameters:
    ///   - plugins: further entries, each after a comma.
    ///   - libraries: what is in the plugin folder besides the counter.
    func join(_ name: String, plugins: String = "", libraries: [String] = []) throws {
        let scene = try Scene(
            """
            { "name": "\(name)", "discovery": "ignore", "state": { "features": { "us": true } },
              "cluster": { "engine": "\(redis.url)", "name": "shop", "partitions": \(partitions), "lease": 2,
                           "key": { "eu/*": "/by" } },
              "plugins": [
                { "id": "eu", "library": "libCounterPlugin.so", "lift": { "state": "/orders/eu" } },
                { "id": "us", "library": "libCounterPlugin.so", "gate": { "state": "/features/us" } }\(plugins) ] }
            """, libraries: ["CounterPlugin"] + libraries)
        let process = try ChildProcess(
            BuiltProducts.program, ["run", "--control", "--print", "none"], in: scene.folder.path,
            environment: environment, keeping: scene.folder)
        try process.waitForErrors("\(name) can be controlled at")
        members[name] = (scene, process)
    }

    /// Writes another configuration of a member, which does not look at it by itself.
    func change(_ name: String, _ change: (String) -> String) throws {
        let folder = try #require(members[name]).scene.folder
        let text = String(decoding: try FileSystem.read(folder("plugins.json")), as: UTF8.self)
        try folder.write(change(text), to: "plugins.json")
    }

    /// What programs find in their environment.
    private var environment: [String: String] {
        ["CACHE_DIRECTORY": sockets("cache"), "XDG_RUNTIME_DIR": sockets.path]
    }

    /// The process of a member.
    func process(_ name: String) throws -> ChildProcess { try #require(members[name]).process }

    /// Waits until a member has said something on its standard error.
    func wait(for name: String, toSay text: String) throws { try process(name).waitForErrors(text) }

    /// Runs `gatehouse ctl` against a member, and waits for its end.
    func ctl(_ name: String, _ arguments: String..., input: String = "") throws -> ChildProcess.Outcome {
        try ctl(name, arguments, input: input)
    }

    /// The same with the words in an array.
    func ctl(_ name: String, _ arguments: [String], input: String = "") throws -> ChildProcess.Outcome {
        try takeWords()
        return try ChildProcess.run(
            arguments: ["ctl", "--name", name] + arguments, input: Array(input.utf8), in: sockets.path,
            environment: environment)
    }

    /// What a member answers, for programs.
    func answer(_ name: String, _ arguments: String...) throws -> Value {
        try takeWords()
        let outcome = try ChildProcess.run(
            arguments: ["ctl", "--name", name, "--json"] + arguments, in: sockets.path,
            environment: environment)
        try #require(outcome.exitCode == 0, "\(outcome.errors)")
        return try JSONText.parse(outcome.output)
    }

    /// Watches a member; returns when nothing is missed any more.
    func watch(_ name: String, _ arguments: String...) throws -> ChildProcess {
        let watcher = try ChildProcess(
            BuiltProducts.program, ["ctl", "--name", name, "watch"] + arguments, in: sockets.path,
            environment: environment, keeping: sockets)
        try watcher.waitForErrors("watching \(name)")
        return watcher
    }

    /// Members that write much must not wait for the test.
    private func takeWords() throws { for member in members.values { try member.process.takeWhatIsThere() } }

    /// Ends the members in good order.
    func finish() throws {
        for (_, member) in members.sorted(by: { $0.key < $1.key }) {
            member.process.signal(SIGTERM)
            let outcome = try member.process.finish()
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
        }
        members = [:]
    }
}
