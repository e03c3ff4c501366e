// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// A Redis, the members `a` and `b` of a cluster, and a browser that looks at the console of `a`.
final class ClusterConsoleScene {
    let browser: Browser
    /// Where the console is served.
    let address: String
    /// The engine of the cluster.
    let redis: RedisServer
    private let members: [ChildProcess]
    private let folder: TemporaryFolder

    /// How many partitions there are.
    static let partitions = 64

    /// Starts everything, and waits until each member has its share and the console shows both.
    init(width: Int = 1_360, scheme: String = "light") throws {
        let port = try LocalPort.free()
        address = "http://127.0.0.1:\(port)"
        redis = try RedisServer()
        folder = try TemporaryFolder()
        try folder.write(ConsoleScene.token + "\n", to: "token")
        try FileSystem.setMode(0o600, of: folder("token"))
        let http = #"""
            { "id": "http", "settings": { "listen": "127.0.0.1:\#(port)", "tokenFile": "\#(folder("token"))" },
              "lift": { "dependencies": ["control", "ingress", "clock"] } },
            """#
        members = [
            try Self.start("a", folder, redis, http), try Self.start("b", folder, redis, ""),
        ]
        for member in members {
            try member.waitForErrors("of \(Self.partitions) partitions, 2 members")
        }
        browser = try Browser(width: width, height: 900)
        try browser.setScheme(scheme)
        try browser.open(address + "/")
        try browser.wait(for: "#link", toSay: "connected")
        try browser.wait(for: "document.querySelectorAll('#member-rows tr').length === 2")
    }

    /// Runs a test in a scene; one that fails tells what the members have said, of which one may have died.
    static func run(
        width: Int = 1_360, scheme: String = "light", _ body: (ClusterConsoleScene) throws -> Void
    ) throws {
        let scene = try ClusterConsoleScene(width: width, scheme: scheme)
        do {
            try body(scene)
        } catch {
            Issue.record("the members had said:\n\(try scene.words())")
            throw error
        }
    }

    /// What the members have said on their standard errors by now, each with its number, and whether it has ended.
    private func words() throws -> String {
        try members.enumerated().map { number, member in
            try member.takeWhatIsThere()
            return "member \(number)\(member.hasEnded ? ", which has ended" : ""):\n\(member.errorsSoFar)"
        }.joined(separator: "\n")
    }

    /// Starts a member in a folder of its own.
    private static func start(
        _ name: String, _ folder: TemporaryFolder, _ redis: RedisServer, _ entry: String
    ) throws -> ChildProcess {
        _ = try folder.makeFolder(name)
        _ = try folder.makeFolder(name + "/plugins")
        for library in ["HTTPPlugin", "CounterPlugin"] {
            try folder.copyLibrary(library, as: "\(name)/plugins/lib\(library).so")
        }
        try folder.write(
            """
            { "name": "\(name)", "discovery": "ignore",
              "cluster": { "engine": "\(redis.url)", "name": "shop", "partitions": \(partitions), "lease": 2,
                           "key": { "eu/*": "/by" } },
              "plugins": [ \(entry)
                { "id": "eu", "library": "libCounterPlugin.so", "lift": { "state": "/orders/eu" } } ] }
            """, to: name + "/plugins.json")
        let process = try ChildProcess(
            BuiltProducts.program, ["run", "--control", "--print", "none"], in: folder(name),
            environment: ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path],
            keeping: folder)
        try process.waitForErrors("\(name) can be controlled")
        return process
    }

    /// Fails when the page has done something that it should not.
    func expectQuiet() {
        #expect(browser.errors == [])
        #expect(browser.requests.allSatisfy { $0.hasPrefix(address + "/") }, "\(browser.requests)")
    }
}
