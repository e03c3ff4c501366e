// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A test's own Redis, at a socket in a temporary folder, that may die and be restarted. Not thread-safe.
public final class RedisServer {
    /// What a restarted server finds on the disk.
    public enum Durability: Sendable {
        /// Nothing: it keeps everything in memory.
        case none
        /// Everything that it confirmed: it syncs each write before it answers.
        case always
    }

    /// The folder of its socket and its files.
    public let folder: TemporaryFolder
    /// The server that was started last.
    private var process: ChildProcess
    /// The options of each start.
    private let options: [String]
    /// The environment of each start.
    private let environment: [String: String]

    /// Whether this machine has the server and its client.
    public static let isInstalled = RedisPrograms.areInstalled

    /// Starts a server; returns when it listens.
    ///
    /// - Parameters:
    ///   - options: of the server, such as `--maxmemory`.
    ///   - clock: the clock that it reads; nil for the machine's.
    public convenience init(
        _ options: String..., durability: Durability = .none, clock: FalseClock? = nil
    ) throws {
        try self.init(options: options, durability: durability, clock: clock)
    }

    /// Starts a server with the options in an array.
    ///
    /// - Parameters:
    ///   - folder: an empty one for its files; nil for one of its own.
    ///   - isRewritable: whether a Sentinel can change its configuration, which then holds for later starts.
    public init(
        options: [String], durability: Durability = .none, clock: FalseClock? = nil,
        in folder: TemporaryFolder? = nil, isRewritable: Bool = false
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        if isRewritable { try folder.write("", to: "redis.conf") }
        let kept: [String] =
            switch durability {
            case .none: ["--save", ""]
            case .always: ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
            }
        self.options =
            (isRewritable ? [folder("redis.conf")] : []) + [
                "--port", "0", "--unixsocket", folder("redis.sock"), "--dir", folder.path,
            ] + kept + options
        environment = clock?.environment ?? [:]
        process = try Self.start(self.options, folder, environment)
    }

    /// Starts the program; returns when it listens and has read its files.
    private static func start(_ options: [String], _ folder: TemporaryFolder, _ environment: [String: String])
        throws -> ChildProcess
    {
        let process = try ChildProcess(
            RedisPrograms.server, options, in: folder.path, limit: .seconds(86_400), environment: environment,
            keeping: folder)
        try process.waitForOutput(RedisPrograms.readiness)
        return process
    }

    /// The password of `call`; nil for none.
    public var password: String?

    /// The path of its socket.
    public var socket: String { folder("redis.sock") }

    /// Its address, as a configuration names it.
    public var url: String { "redis+unix:" + socket }

    /// Ends it as a power failure would.
    public func kill() throws {
        process.signal(SIGKILL)
        _ = try process.finish()
    }

    /// Starts it again on the same files, once it is dead; returns when it listens and has read them.
    ///
    /// - Parameter more: options of this start alone.
    public func restart(_ more: String...) throws {
        process = try Self.start(options + more, folder, environment)
    }

    /// Stops it, with its connections open.
    public func pause() { process.signal(SIGSTOP) }

    /// Lets it continue.
    public func resume() { process.signal(SIGCONT) }

    /// Reads its output, so that it does not wait for the test.
    ///
    /// A test calls it last on a server that must live until then: a command could meet a failover, in which Sentinels end all connections.
    public func takeWhatIsThere() throws { try process.takeWhatIsThere() }

    /// Sends it a command; returns the answer as `redis-cli` prints it, without the line's ending.
    @discardableResult
    public func call(_ words: String...) throws -> String {
        try process.takeWhatIsThere()
        let outcome = try ChildProcess.run(
            RedisPrograms.client, arguments: ["-s", socket, "--raw"] + words,
            environment: password.map { ["REDISCLI_AUTH": $0] } ?? [:])
        guard outcome.exitCode == 0 else { throw Refusal(description: outcome.output + outcome.errors) }
        return outcome.output.hasSuffix("\n") ? String(outcome.output.dropLast()) : outcome.output
    }

    /// Waits until a number of replicas have something that was written since they came, and say so.
    ///
    /// A new one says nothing for up to a second.
    public func waitForReplicas(_ count: Int) throws {
        while true {
            try call("SET", "waited-for", "1")
            let lines = try call("INFO", "replication").split(whereSeparator: \.isNewline)
            let current = lines.count {
                $0.hasPrefix("slave") && $0.contains("state=online") && !$0.contains("offset=0,")
            }
            if current >= count { return }
        }
    }

    /// The server refused a command.
    public struct Refusal: Error, CustomStringConvertible {
        /// The message.
        public let description: String
    }

    /// The files of a server at one moment, like those of a replica that lags behind.
    public struct Copy {
        /// The bytes, by path relative to the server's folder.
        fileprivate let files: [String: [UInt8]]
    }

    /// The folder where the server keeps what it has confirmed.
    private static let log = "appendonlydir"

    /// Copies the files of the server, which must be durable; nobody may write at the time.
    public func copy() throws -> Copy {
        let names = FileSystem.names(in: folder(Self.log)).map { Self.log + "/" + $0 }
        return Copy(
            files: Dictionary(
                uniqueKeysWithValues: try names.map { ($0, try FileSystem.read(folder($0))) }))
    }

    /// Replaces the files of a dead server with a copy.
    public func restore(_ copy: Copy) throws {
        FileSystem.removeFolder(folder(Self.log))
        _ = try folder.makeFolder(Self.log)
        for (path, bytes) in copy.files { try folder.write(bytes, to: path) }
    }
}
