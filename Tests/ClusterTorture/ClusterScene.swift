// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehouseHostTesting

/// An engine and members of one cluster, each a process with its own folder, optionally with an unreliable network in between.
///
/// Not thread-safe. Everything ends with this object.
package final class ClusterScene {
    /// The parameters that the members share.
    package struct Terms: Sendable {
        /// The number of partitions.
        package var partitions = 8
        /// The lease, in seconds.
        package var lease = 1
        /// Numbers of a key that are divisible by this are passed on to another key.
        package var passing = 10
        /// The number of keys.
        package var keys = 100
        /// How many replicas must have what a Redis confirms.
        package var replicas = 0
        /// Further members of the configuration, each followed by a comma.
        package var more = ""
        /// Further entries of plugins, each preceded by a comma.
        package var plugins = ""
        /// The libraries in the plugin folder besides the passbook.
        package var libraries: [String] = []

        /// The parameters of small tests.
        package init() {}
    }

    /// The server of the engine; nil where the engine is a file, or several servers.
    private let server: RedisServer?
    /// Where the engine is, as a configuration names it.
    private let engine: String
    /// The parameters that the members share.
    package let terms: Terms
    /// All members, in the order of creation.
    package private(set) var members: [SceneMember] = []
    /// Makes the test's connections.
    private let cluster: any Cluster
    /// The test's own connection.
    private var connection: ClusterConnection

    /// The maximum time for which the output of the members is not read.
    static let longestWait = Duration.milliseconds(100)
    /// The name of the cluster.
    package static let name = "torture"

    /// Creates a scene without members.
    package init(_ redis: RedisServer, _ terms: Terms = Terms()) {
        server = redis
        engine = redis.url
        self.terms = terms
        cluster = RedisCluster(
            .unix(path: redis.socket), name: Self.name, partitions: terms.partitions, patience: .seconds(5))
        connection = ClusterConnection(to: cluster)
    }

    /// Creates a scene without members, whose engine is the Redis that Sentinels name.
    package init(_ redis: ReplicatedRedis, _ terms: Terms) throws {
        server = nil
        engine = redis.url
        guard let address = RedisAddress(engine) else {
            throw TimedOut(description: "\(engine) is no address")
        }
        self.terms = terms
        cluster = RedisCluster(
            RedisAccess(address), name: Self.name, partitions: terms.partitions, patience: .seconds(5))
        connection = ClusterConnection(to: cluster)
    }

    /// Creates a scene without members, whose engine is a file.
    package init(file path: String, _ terms: Terms = Terms()) {
        server = nil
        engine = "local:" + path
        self.terms = terms
        cluster = LocalCluster(
            path: path, name: Self.name, partitions: terms.partitions, patience: .seconds(5))
        connection = ClusterConnection(to: cluster)
    }

    /// The Redis of the engine.
    package var redis: RedisServer {
        get throws {
            guard let server else { throw TimedOut(description: "the engine is not one Redis") }
            return server
        }
    }

    /// Creates a member without starting it.
    ///
    /// - Parameters:
    ///   - isProxied: whether it has its own network to the engine.
    ///   - change: changes the text of its configuration.
    package func member(
        _ name: String, isProxied: Bool = false, hasFalseClock: Bool = false,
        change: (String) -> String = { $0 }
    ) throws -> SceneMember {
        let folder = try TemporaryFolder()
        let proxy =
            isProxied ? try ConnectionProxy(at: folder("redis.sock"), to: redis.socket) : nil
        let clock = hasFalseClock ? try FalseClock("clock", in: folder) : nil
        let member = try SceneMember(
            name, proxy: proxy, folder: folder, clock: clock, libraries: ["PassbookPlugin"] + terms.libraries,
            change(configuration(name, proxy?.url ?? engine)))
        members.append(member)
        return member
    }

    /// The configuration of a member.
    private func configuration(_ name: String, _ engine: String) -> String {
        """
        { "name": "\(name)", \(terms.more)
          "cluster": { "engine": "\(engine)", "name": "\(Self.name)", "partitions": \(terms.partitions),
                       "lease": \(terms.lease), \(terms.replicas > 0 ? "\"replicas\": \(terms.replicas), " : "")"key": { "passbook/*": "/key" } },
          "ingress": { "listen": ["unix:in.sock?ack"] },
          "plugins": [{ "id": "passbook", "settings": { "passing": \(terms.passing), "keys": \(terms.keys) } }\(terms.plugins)] }
        """
    }

    /// Makes the next request over another connection: that of before may still lead to a primary that was replaced and lives on.
    package func reconnect() { connection = ClusterConnection(to: cluster) }

    /// Makes a request over the test's connection, again while it is lost.
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

    /// The engine's present knowledge.
    package func survey() throws -> ClusterSurvey {
        try ask { engine throws(ClusterFailure) in try engine.survey() }
    }

    /// Lets a member own nothing from now on.
    package func drain(_ member: SceneMember) throws {
        try ask { engine throws(ClusterFailure) in try engine.drain(member.name, true) }
    }

    /// Asks all members to reload.
    package func requestReload() throws {
        _ = try ask { engine throws(ClusterFailure) in try engine.requestReload() }
    }

    /// A condition was not met in time.
    package struct TimedOut: Error, CustomStringConvertible {
        /// The awaited condition, and the state instead.
        package let description: String
    }

    /// Waits until the engine's knowledge satisfies a condition; returns it. Reads the output of the members meanwhile.
    package func wait(_ what: String, until isEnough: (ClusterSurvey) -> Bool) throws -> ClusterSurvey {
        let end = ContinuousClock.now.advanced(by: .seconds(240))
        let changes = try server.map { try RedisChanges($0) }
        while true {
            let survey = try survey()
            if isEnough(survey) { return survey }
            guard ContinuousClock.now < end else { throw TimedOut(description: "\(what): \(survey)") }
            try takeWhatIsThere()
            if let changes {
                try changes.wait(atMost: Self.longestWait)
            } else {
                // Nothing comes after this offset, and whatever comes to the partition ends the wait.
                try ask { engine throws(ClusterFailure) in
                    try engine.read(
                        [(0, ClusterOffset(.max, .max))], atMost: 1, waiting: Self.longestWait
                    ) { _, _ in }
                }
            }
        }
    }

    /// Reads the output of the members so far.
    package func takeWhatIsThere() throws {
        for member in members where member.isRunning && !member.isPaused {
            try member.process?.takeWhatIsThere()
        }
    }

    /// Waits until these members, and no others, own all partitions, each at least one.
    @discardableResult
    package func waitUntilSettled(_ members: [SceneMember]) throws -> ClusterSurvey {
        let names = Set(members.map { Optional($0.name) })
        return try wait("\(members.map(\.name)) have all partitions") {
            Set($0.partitions.map(\.title.owner)) == names
        }
    }

    /// Waits until everything in partitions is processed, including the consequences.
    @discardableResult
    package func waitUntilDone() throws -> ClusterSurvey {
        // The actions that a checkpoint puts into other partitions appear together with it, so there is no moment at which nothing
        // waits before all is done.
        try wait("nothing waits in any partition") { $0.partitions.allSatisfy { $0.lag == 0 } }
    }

    /// The slices in the last checkpoint of each partition; acquires all partitions, so no member may be running.
    package func slices() throws -> [[String: [UInt8]]] {
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
