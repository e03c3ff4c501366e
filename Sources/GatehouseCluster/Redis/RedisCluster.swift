// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A cluster whose partitions are in a Redis 7.
public final class RedisCluster: Cluster {
    /// How one comes to it.
    let access: RedisAccess
    /// Where it is.
    var address: RedisAddress { access.address }
    /// Its name; several may use the same Redis.
    let name: String
    /// How many partitions there are.
    let partitions: Int
    /// What stands for that in Redis.
    let shape: RedisShape
    /// How long connecting, and each answer, may take.
    private let patience: Duration
    /// What it has confirmed.
    let memory: RedisMemory
    /// How many entries are asked for at most where actions are read; fewer after an answer was too large.
    let readingLimit = Atomic(RedisEngine.mostEntries)
    /// Why it did not let this side in the last time, and when that was; nil before it ever happened.
    private let denial = Mutex<(reason: String, time: ContinuousClock.Instant)?>(nil)
    /// So long does nobody try again who was not let in.
    private let pause: Duration
    /// Called when the server was restarted, or replaced, and has everything that was confirmed.
    private let restarted: @Sendable () -> Void

    /// A cluster that nothing is known of; nobody connects yet.
    ///
    /// - Parameters:
    ///   - patience: how long connecting, and each answer, may take.
    ///   - pause: so long nobody comes to the server again after one of the connections was not let in.
    ///   - restarted: called in the thread that connects, when the server is another run than the one before, and has everything that
    ///     was confirmed.
    public init(
        _ access: RedisAccess, name: String, partitions: Int, patience: Duration = .seconds(1),
        pause: Duration = .seconds(1), restarted: @escaping @Sendable () -> Void = {}
    ) {
        self.access = access
        self.name = name
        self.partitions = partitions
        shape = RedisShape(partitions: partitions)
        self.patience = patience
        self.pause = pause
        self.restarted = restarted
        memory = RedisMemory(partitions: partitions)
    }

    public func connect() throws(ClusterFailure) -> any ClusterEngine { try connect(at: .now) }

    /// Connects at a time.
    func connect(at now: ContinuousClock.Instant) throws(ClusterFailure) -> any ClusterEngine {
        // Whoever is not let in does not try again at once, with each of its connections.
        if let denial = denial.withLock({ $0 }), denial.time.duration(to: now) < pause {
            throw .denied(denial.reason)
        }
        do throws(ClusterFailure) {
            return try engine()
        } catch {
            if case .denied(let reason) = error { denial.withLock { $0 = (reason, now) } }
            throw error
        }
    }

    /// Connects, and looks whether the server can be trusted.
    private func engine() throws(ClusterFailure) -> any ClusterEngine {
        let connection = try RedisConnection(access, patience: patience)
        let keys = RedisKeys(cluster: name)
        try connection.prepare(for: keys)
        let run = try run(of: connection)
        if memory.hasJoined, case .none = try connection.ask("GET", keys.shape) { throw emptied() }
        if let floors = memory.floors(toCompareWith: run) { try compare(floors, with: connection, keys) }
        if memory.trust(run) { restarted() }
        return RedisEngine(connection, keys, of: self)
    }

    /// What tells the server's process from all others.
    private func run(of connection: RedisConnection) throws(ClusterFailure) -> String {
        let text = try connection.ask("INFO", "server").text ?? ""
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("run_id:") }) else {
            throw .refused("\(address) did not tell its run_id; is it a Redis?")
        }
        let version = lines.first { $0.hasPrefix("redis_version:") }?.dropFirst(14) ?? ""
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 7 else {
            throw .refused("\(address) is Redis \(RedisReply.shown(version)), and a cluster needs 7 or later")
        }
        return String(line.dropFirst(7))
    }

    /// Looks whether a server has everything that was confirmed.
    private func compare(
        _ floors: [RedisMemory.Floor], with connection: RedisConnection, _ keys: RedisKeys
    ) throws(ClusterFailure) {
        connection.send("HGETALL", keys.titles)
        for partition in floors.indices {
            connection.send("XINFO", "STREAM", keys.stream(partition))
            connection.send("HGET", keys.state(partition), "offset")
        }
        let titles = RedisKeys.titles(try connection.receive().checked(), partitions: partitions)
        for (partition, floor) in floors.enumerated() {
            // A stream that is not there is answered as an error.
            let entry = try connection.receive().pairs["last-generated-id"]?.offset ?? .start
            let checkpoint = try connection.receive().offset ?? .start
            let epoch = titles[partition].epoch
            if entry < floor.entry {
                throw goneBack("actions of partition \(partition) up to \(floor.entry)", "\(entry)")
            }
            if checkpoint < floor.checkpoint {
                throw goneBack(
                    "a checkpoint of partition \(partition) at \(floor.checkpoint)", "one at \(checkpoint)")
            }
            if epoch < floor.epoch {
                throw goneBack("epoch \(floor.epoch) of partition \(partition)", "epoch \(epoch)")
            }
        }
    }

    // MARK: - What is told

    /// The server has less than it had confirmed.
    func goneBack(_ known: String, _ found: String) -> ClusterFailure {
        memory.doubt()
        return .goneBack(
            "\(address) had confirmed \(known), and has \(found) now: it went back to an older copy. Let it have its newest copy again, or start the members anew to go on without what is lost"
        )
    }

    /// The server does not know the cluster any more.
    func emptied() -> ClusterFailure {
        memory.doubt()
        return .goneBack(
            "\(address) does not know the cluster '\(name)' any more: it was emptied. Let it have its newest copy again, or start the members anew to go on without what is lost"
        )
    }

    /// The cluster has another number of partitions, or is written in another form; or is not there at all.
    func misshapen(_ text: some StringProtocol) -> ClusterFailure {
        if let resize = RedisResize(text) {
            return .refused(
                "the cluster '\(name)' at \(address) is being resized from \(resize.old.partitions) to \(resize.new.partitions) partitions; wait for that, or, if it was ended in the middle, begin it anew with gatehouse cluster resize"
            )
        }
        if !text.isEmpty {
            guard let there = RedisShape(text) else {
                return .refused(
                    "the cluster '\(name)' at \(address) has the shape \"\(RedisReply.shown(text))\", which no host has written"
                )
            }
            if let objection = there.objection {
                return .refused("the cluster '\(name)' at \(address) \(objection)")
            }
            return .refused(
                "the cluster '\(name)' at \(address) has \(there.partitions) partitions, not \(partitions); write \(there.partitions) in plugins.json, or change the cluster with gatehouse cluster resize \(partitions)"
            )
        }
        return memory.hasJoined
            ? emptied() : .refused("there is no cluster '\(name)' at \(address): no member has joined it yet")
    }
}
