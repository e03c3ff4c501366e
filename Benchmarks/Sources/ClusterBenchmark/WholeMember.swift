// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting
import Glibc

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

    /// Lets it read lines from a pipe, once it has all partitions; gives the seconds from the first byte to the last checkpoint.
    func run(_ lines: [UInt8], partitions: Int) throws -> Double {
        let text = """
            { "directory": "plugins", "discovery": "ignore", "plugins": [{ "id": "counter" }],
              "cluster": { "engine": "\(redis.url)", "name": "bench", "partitions": \(partitions), "key": { "*": "/key" } } }
            """
        try FileSystem.write(Array(text.utf8), to: folder("plugins.json"))
        try redis.call("FLUSHALL")
        let pipe = folder("lines")
        _ = unsafe unlink(pipe)
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw SystemFailure("mkfifo \(pipe)") }
        let child = try ChildProcess(
            BuiltProducts.program,
            ["run", "--name", "bench", "--config", "plugins.json", "--print", "none", "--input", pipe],
            in: folder.path)
        let writer = unsafe open(pipe, O_WRONLY | O_CLOEXEC)
        guard writer >= 0 else { throw SystemFailure("open \(pipe)") }
        let engine = try RedisCluster(.unix(path: redis.socket), name: "bench", partitions: partitions)
            .connect()
        while try !engine.survey().partitions.allSatisfy({ $0.title.owner != nil }) { usleep(10_000) }
        let start = try engine.survey().time
        try write(lines, to: writer)
        close(writer)
        let outcome = try child.finish()
        let survey = try engine.survey()
        guard outcome.exitCode == 0, survey.partitions.allSatisfy({ $0.lag == 0 }) else {
            throw Failure(description: outcome.errors)
        }
        let ages = survey.partitions.compactMap(\.checkpointAge)
        return survey.time - (ages.min() ?? .zero) / .seconds(1) - start
    }

    /// Writes all bytes, as fast as they are taken.
    private func write(_ bytes: [UInt8], to file: Int32) throws {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(file, buffer.baseAddress?.advanced(by: written), bytes.count - written)
            }
            guard count > 0 else { throw SystemFailure("write") }
            written += count
        }
    }

    /// The member ended otherwise than it should.
    struct Failure: Error, CustomStringConvertible {
        /// What it said.
        let description: String
    }
}
