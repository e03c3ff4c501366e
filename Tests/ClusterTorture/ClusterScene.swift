// SPDX-License-Identifier: Apache-2.0

public import GatehouseCluster
public import GatehouseHostTesting
internal import Glibc

/// A Redis and members of one cluster, each a process with a folder of its own, between which a test may put a bad network.
///
/// Not thread-safe. All ends with this object.
public final class ClusterScene {
    /// What the members have in common.
    public struct Terms: Sendable {
        /// How many partitions there are.
        public var partitions = 8
        /// The lease, in seconds.
        public var lease = 1
        /// Each such number of a key is passed on to another key.
        public var passing = 10
        /// How many keys there are.
        public var keys = 100
        /// Further members of the configuration, each with a comma behind it.
        public var more = ""
        /// Further entries of plugins, each with a comma before it.
        public var plugins = ""
        /// What is in the plugin folder besides the passbook.
        public var libraries: [String] = []

        /// The terms of small tests.
        public init() {}
    }

    /// The engine.
    public let redis: RedisServer
    /// What the members have in common.
    public let terms: Terms
    /// All members that were made, in that order.
    public private(set) var members: [SceneMember] = []
    /// The connection of the test itself.
    private let connection: ClusterConnection

    /// The name of the cluster.
    public static let name = "torture"

    /// A scene without members.
    public init(_ redis: RedisServer, _ terms: Terms = Terms()) {
        self.redis = redis
        self.terms = terms
        connection = ClusterConnection(
            to: RedisCluster(
                .unix(path: redis.socket), name: Self.name, partitions: terms.partitions,
                patience: .seconds(5)))
    }

    /// Makes a member, which is not started.
    ///
    /// - Parameters:
    ///   - isProxied: whether there is a network of its own between it and the engine.
    ///   - change: changes the text of its configuration.
    public func member(
        _ name: String, isProxied: Bool = false, hasFalseClock: Bool = false,
        change: (String) -> String = { $0 }
    ) throws -> SceneMember {
        let folder = try TemporaryFolder()
        let proxy =
            isProxied ? try ConnectionProxy(at: folder("redis.sock"), to: redis.socket) : nil
        let clock = hasFalseClock ? try FalseClock("clock", in: folder) : nil
        let member = try SceneMember(
            name, proxy: proxy, folder: folder, clock: clock, libraries: ["PassbookPlugin"] + terms.libraries,
            change(configuration(name, proxy?.url ?? redis.url)))
        members.append(member)
        return member
    }

    /// The configuration of a member.
    private func configuration(_ name: String, _ engine: String) -> String {
        """
        { "name": "\(name)", \(terms.more)
          "cluster": { "engine": "\(engine)", "name": "\(Self.name)", "partitions": \(terms.partitions),
                       "lease": \(terms.lease), "key": { "passbook/*": "/key" } },
          "ingress": { "listen": ["unix:in.sock?ack"] },
          "plugins": [{ "id": "passbook", "settings": { "passing": \(terms.passing), "keys": \(terms.keys) } }\(terms.plugins)] }
        """
    }

    /// Does something with a connection of the test, again while it is lost.
    private func ask<Answer>(
        _ body: (any ClusterEngine) throws(ClusterFailure) -> Answer
    ) throws(ClusterFailure) -> Answer {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while true {
            do throws(ClusterFailure) {
                return try connection.use(body)
            } catch {
                guard case .lost = error, ContinuousClock.now < end else { throw error }
            }
        }
    }

    /// What the engine knows at this moment.
    public func survey() throws -> ClusterSurvey { try ask { engine throws(ClusterFailure) in try engine.survey() } }

    /// A condition that did not come about in time.
    public struct TimedOut: Error, CustomStringConvertible {
        /// What was waited for, and what was there instead.
        public let description: String
    }

    /// Waits until the engine knows what is wanted; gives what it knew then. Takes what the members say meanwhile.
    public func wait(_ what: String, until isEnough: (ClusterSurvey) -> Bool) throws -> ClusterSurvey {
        let end = ContinuousClock.now.advanced(by: .seconds(240))
        while true {
            let survey = try survey()
            if isEnough(survey) { return survey }
            guard ContinuousClock.now < end else { throw TimedOut(description: "\(what): \(survey)") }
            try takeWhatIsThere()
            usleep(10_000)
        }
    }

    /// Takes what the members have said by now.
    public func takeWhatIsThere() throws {
        for member in members where member.isRunning && !member.isPaused {
            try member.process?.takeWhatIsThere()
        }
    }

    /// Waits until these members, and no others, have all partitions, each at least one.
    @discardableResult
    public func waitUntilSettled(_ members: [SceneMember]) throws -> ClusterSurvey {
        let names = Set(members.map { Optional($0.name) })
        return try wait("\(members.map(\.name)) have all partitions") {
            Set($0.partitions.map(\.title.owner)) == names
        }
    }

    /// Waits until everything that is in partitions is processed, what comes of it included.
    @discardableResult
    public func waitUntilDone() throws -> ClusterSurvey {
        // What a checkpoint puts into other partitions is there as soon as it is, so that there is no moment at which nothing waits
        // before all is done.
        try wait("nothing waits in any partition") { $0.partitions.allSatisfy { $0.lag == 0 } }
    }

    /// What the last checkpoints say of a partition each; takes all partitions, so no member may run any more.
    public func slices() throws -> [[String: [UInt8]]] {
        let auditor = ClusterPresence(name: "auditor", life: "1")
        return try ask { engine throws(ClusterFailure) in
            try engine.join(auditor)
            let roll = try engine.renew(auditor, for: .seconds(60))
            defer { try? engine.leave(auditor) }
            return try roll.titles.indices.map { partition throws(ClusterFailure) in
                let epoch = roll.titles[partition].epoch
                guard
                    case .granted(let epoch, _, let slices, _) = try engine.acquire(
                        partition, for: auditor.name, after: epoch)
                else {
                    throw .refused("partition \(partition) still belongs to \(roll.titles[partition])")
                }
                try engine.release(partition, of: auditor.name, epoch: epoch)
                return slices
            }
        }
    }
}
