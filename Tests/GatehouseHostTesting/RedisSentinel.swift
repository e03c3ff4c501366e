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

    /// The name by which it knows the server.
    private let name: String

    /// How long something takes, in milliseconds.
    public struct Times: Sendable {
        /// How long a server may be silent before it is taken for dead.
        public var down = 2_000
        /// How long one step of a failover may take.
        public var failover = 3_000

        /// The times of tests that have no time.
        public init() {}

        /// The times that Scaling.md recommends.
        public static let recommended = {
            var times = Times()
            (times.down, times.failover) = (3_000, 5_000)
            return times
        }()
    }

    /// Starts a Sentinel; returns when it watches.
    ///
    /// - Parameters:
    ///   - name: by which it knows the server.
    ///   - primary: the port of the server.
    ///   - quorum: how many Sentinels must take the server for dead.
    ///   - epoch: how many failovers it knows of.
    ///   - lines: of its configuration, besides.
    public init(
        of name: String, at primary: Int, quorum: Int = 1, epoch: Int = 0, _ times: Times = Times(),
        lines: String = ""
    ) throws {
        self.name = name
        folder = try TemporaryFolder()
        port = try LocalPort.free()
        try folder.write(
            """
            port \(port)
            bind 127.0.0.1
            dir \(folder.path)
            sentinel monitor \(name) 127.0.0.1 \(primary) \(quorum)
            sentinel down-after-milliseconds \(name) \(times.down)
            sentinel failover-timeout \(name) \(times.failover)
            sentinel config-epoch \(name) \(epoch)
            \(lines)

            """, to: "sentinel.conf")
        process = try ChildProcess(
            RedisPrograms.server, [folder("sentinel.conf"), "--sentinel"], in: folder.path,
            limit: .seconds(86_400), keeping: folder)
        try process.waitForOutput("+monitor")
    }

    /// Waits until it knows a number of replicas.
    public func wait(forReplicas count: Int) throws {
        _ = try process.waitForOutput { $0.components(of: "+slave ") >= count }
    }

    /// Waits until a text is in its output.
    public func wait(for text: String) throws { try process.waitForOutput(text) }

    /// Waits until it knows a number of other Sentinels.
    public func wait(forOthers count: Int) throws {
        _ = try process.waitForOutput { $0.components(of: "+sentinel ") >= count }
    }

    /// The port of the server that it takes for the primary.
    public func primary() throws -> Int {
        let words = try ask("get-master-addr-by-name").split(separator: "\n")
        guard words.count == 2, let port = Int(words[1]) else { throw Strange(description: "\(words)") }
        return port
    }

    /// The replicas that it could promote.
    public func goodReplicas() throws -> Int {
        let words = try ask("replicas").split(separator: "\n", omittingEmptySubsequences: false)
        return zip(words, words.dropFirst()).count { $0 == "flags" && $1 == "slave" }
    }

    /// How often a text is in its output so far.
    public func count(of text: String) throws -> Int {
        try process.takeWhatIsThere()
        return process.outputSoFar.components(of: text)
    }

    /// Asks something about the server; returns the answer as `redis-cli` prints it.
    private func ask(_ what: String) throws -> String { try call("SENTINEL", what, name) }

    /// Sends it a command; returns the answer as `redis-cli` prints it.
    private func call(_ words: String...) throws -> String {
        try process.takeWhatIsThere()
        return try ChildProcess.run(
            RedisPrograms.client, arguments: ["-p", "\(port)", "--raw"] + words
        ).output
    }

    /// It gave an unexpected answer.
    public struct Strange: Error, CustomStringConvertible {
        /// The answer.
        public let description: String
    }

    /// Whether it watches its servers now; not for half a minute after a pause, because time has jumped for it.
    public func isWatching() throws -> Bool {
        let text = try call("INFO", "sentinel")
        return text.split(whereSeparator: \.isNewline).contains("sentinel_tilt:0")
    }

    /// Whether it is paused.
    public private(set) var isPaused = false

    /// Stops it, with its connections open.
    public func pause() {
        process.signal(SIGSTOP)
        isPaused = true
    }

    /// Lets it continue.
    public func resume() {
        process.signal(SIGCONT)
        isPaused = false
    }

    /// Reads its output, so that it does not wait for the test.
    public func takeWhatIsThere() throws { try process.takeWhatIsThere() }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
