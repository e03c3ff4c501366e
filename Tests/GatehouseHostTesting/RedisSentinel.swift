// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A test's own Sentinel, which watches one Redis and promotes a replica by itself. Not thread-safe.
public final class RedisSentinel {
    /// The folder of its configuration, which it changes.
    private let folder: TemporaryFolder
    /// The process.
    private let process: ChildProcess
    /// The port at which it listens.
    public let port: Int

    /// Starts a Sentinel; returns when it watches.
    ///
    /// - Parameters:
    ///   - name: by which it knows the server.
    ///   - primary: the port of the server.
    public init(of name: String, at primary: Int) throws {
        folder = try TemporaryFolder()
        port = try LocalPort.free()
        try folder.write(
            """
            port \(port)
            bind 127.0.0.1
            dir \(folder.path)
            sentinel monitor \(name) 127.0.0.1 \(primary) 1
            sentinel down-after-milliseconds \(name) 300
            sentinel failover-timeout \(name) 3000

            """, to: "sentinel.conf")
        process = try ChildProcess(
            "/usr/bin/redis-server", [folder("sentinel.conf"), "--sentinel"], in: folder.path,
            limit: .seconds(600), keeping: folder)
        try process.waitForOutput("+monitor")
    }

    /// Waits until it knows a number of replicas.
    public func wait(forReplicas count: Int) throws {
        _ = try process.waitForOutput { $0.components(of: "+slave ") >= count }
    }

    /// Reads its output, so that it does not wait for the test.
    public func takeWhatIsThere() throws { try process.takeWhatIsThere() }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
