// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting

/// The built host with a counter as the only member of a cluster, run as an operator runs it, once for each measurement.
struct WholeMember {
    /// Where it is configured, and where its input is.
    private let folder: TemporaryFolder
    /// The Redis that it uses.
    private let redis: RedisServer

    /// A member that uses a folder of its own.
    init(redis: RedisServer) throws {
        self.redis = redis
        folder = try TemporaryFolder()
        try FileSystem.setMode(0o755, of: folder.path)
        _ = try folder.makeFolder("plugins")
        try FileSystem.setMode(0o755, of: folder("plugins"))
        let library = try FileSystem.read(BuiltProducts.library("CounterPlugin"))
        try FileSystem.write(library, to: folder("plugins/libCounterPlugin.so"))
    }

    /// Writes lines into a file; gives its path.
    func input(_ lines: [String]) throws -> String {
        try FileSystem.write(
            lines.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }, to: folder("lines.ndjson"))
        return folder("lines.ndjson")
    }

    /// Lets it read a file; gives the seconds that this took until all was in checkpoints, without what it takes to read none.
    func run(_ file: String, partitions: Int) throws -> Double {
        let path = folder("plugins-\(partitions).json")
        let text = """
            { "directory": "plugins", "discovery": "ignore", "plugins": [{ "id": "counter" }],
              "cluster": { "engine": "\(redis.url)", "name": "bench", "partitions": \(partitions), "key": { "*": "/key" } } }
            """
        try FileSystem.write(Array(text.utf8), to: path)
        return try -seconds(path, "/dev/null") + seconds(path, file)
    }

    /// How long it takes to read a file, with start and end.
    private func seconds(_ configuration: String, _ input: String) throws -> Double {
        try redis.call("FLUSHALL")
        let clock = ContinuousClock()
        let start = clock.now
        let child = try ChildProcess(
            BuiltProducts.program,
            ["run", "--name", "bench", "--config", configuration, "--print", "none", "--input", input],
            in: folder.path)
        let outcome = try child.finish()
        guard outcome.exitCode == 0 else { throw Failure(description: outcome.errors) }
        return start.duration(to: clock.now) / .seconds(1)
    }

    /// The member ended otherwise than it should.
    struct Failure: Error, CustomStringConvertible {
        /// What it said.
        let description: String
    }
}
