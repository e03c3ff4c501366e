// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import Glibc

/// A Redis of a test's own, at a socket in a temporary folder.
final class RedisServer {
    /// Where it keeps its socket and its files.
    let folder: TemporaryFolder
    /// The server that runs now.
    private var process: ChildProcess
    /// What it was started with, beside where it is.
    private let options: [String]

    /// Whether this machine has a Redis and the library that speaks to it.
    static let isInstalled: Bool = {
        guard unsafe access("/usr/bin/redis-server", X_OK) == 0 else { return false }
        do throws(ClusterFailure) {
            _ = try RedisCluster(.unix(path: "/"), name: "", partitions: 1).connect()
        } catch .missing {
            return false
        } catch {}
        return true
    }()

    /// Starts one that writes to the disk only when it is told to; returns when it listens.
    init(_ options: String...) throws {
        folder = try TemporaryFolder()
        self.options = options
        process = try Self.start(in: folder, options)
    }

    private static func start(in folder: TemporaryFolder, _ options: [String]) throws -> ChildProcess {
        let process = try ChildProcess(
            "/usr/bin/redis-server",
            ["--port", "0", "--unixsocket", folder("redis.sock"), "--save", "", "--dir", folder.path]
                + options,
            in: folder.path, keeping: folder)
        try process.waitForOutput("ready to accept connections")
        return process
    }

    /// Where it listens.
    var address: RedisAddress { .unix(path: folder("redis.sock")) }

    /// A cluster on it.
    func cluster(_ name: String = "shop", partitions: Int = 4) -> RedisCluster {
        RedisCluster(address, name: name, partitions: partitions)
    }

    /// An engine for a cluster on it, which somebody has joined.
    func engine(_ name: String = "shop", partitions: Int = 4) throws -> any ClusterEngine {
        let engine = try cluster(name, partitions: partitions).connect()
        try engine.join(ClusterPresence(name: "first", life: "1"))
        return engine
    }

    /// Ends it as a power failure would.
    func kill() throws {
        process.signal(SIGKILL)
        _ = try process.finish()
    }

    /// Ends it as a power failure would, and starts another one with what the disk has.
    ///
    /// - Parameter options: that come behind those that it was started with.
    func restart(_ options: String...) throws {
        try kill()
        process = try Self.start(in: folder, self.options + options)
    }

    /// Lets it do something as an operator would; gives its answer.
    @discardableResult
    func command(_ words: String...) throws -> String {
        let client = try ChildProcess(
            "/usr/bin/redis-cli", ["-s", folder("redis.sock")] + words, in: folder.path)
        return try client.finish().output
    }
}
