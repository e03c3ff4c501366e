// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A cluster whose partitions are in a Redis 7.
package final class RedisCluster: Cluster {
    /// How to connect.
    package let access: RedisAccess
    /// The address.
    package var address: RedisAddress { access.address }
    /// The cluster's name; several clusters may use the same Redis.
    package let name: String
    /// The number of partitions.
    package let partitions: Int
    /// The shape, as Redis stores it.
    package let shape: RedisShape
    /// How many replicas must have what Redis confirms.
    let replicas: Int
    /// How long actions stay readable after they came, at least.
    let history: Duration
    /// How long connecting, and each answer, may take.
    private let patience: Duration
    /// What Redis has confirmed.
    package var memory: ClusterMemory? { confirmed }
    /// The same, of which there is one.
    let confirmed: ClusterMemory
    /// The most entries requested when reading actions; fewer after an answer was too large.
    let readingLimit = Atomic(RedisEngine.mostEntries)
    /// Rises when the server must not be used as it is: each connection then is made again, and checked.
    let age = Atomic(0)
    /// The run of the server that Sentinels named last, and its answers; nil before the first.
    private let pulse = Mutex<(run: String, pulse: RedisPulse)?>(nil)
    /// The server that was connected to last; nil before the first connection.
    private let connected = Mutex<ClusterServer?>(nil)
    /// Why access was last denied, and when; nil before that ever happened.
    private let denial = Mutex<(reason: String, time: ContinuousClock.Instant)?>(nil)
    /// How long not to try again after access was denied.
    private let pause: Duration
    /// Called when the server was restarted or replaced, and still has everything it had confirmed.
    private let restarted: @Sendable (ClusterServer) -> Void

    /// Creates a cluster without connecting.
    ///
    /// - Parameters:
    ///   - replicas: how many replicas must have what Redis confirms.
    ///   - history: how long actions stay readable after they came, at least.
    ///   - patience: how long connecting, and each answer, may take.
    ///   - pause: how long not to connect again after a connection was denied access.
    ///   - restarted: called in the connecting thread when the server is another run than before, and has everything it had
    ///     confirmed.
    package init(
        _ access: RedisAccess, name: String, partitions: Int, replicas: Int = 0,
        history: Duration = .zero, patience: Duration = .seconds(1), pause: Duration = .seconds(1),
        restarted: @escaping @Sendable (ClusterServer) -> Void = { _ in }
    ) {
        self.access = access
        self.name = name
        self.partitions = partitions
        self.replicas = replicas
        shape = RedisShape(partitions: partitions)
        self.history = history
        self.patience = patience
        self.pause = pause
        self.restarted = restarted
        confirmed = ClusterMemory(partitions: partitions)
    }

    package var server: ClusterServer? { connected.withLock { $0 } }

    package func connect() throws(ClusterFailure) -> any ClusterEngine { try connect(at: .now) }

    /// Connects at a time.
    package func connect(at now: ContinuousClock.Instant) throws(ClusterFailure) -> any ClusterEngine {
        // After a denial no connection tries again at once.
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

    /// Connects, and checks that the server can be trusted.
    private func engine() throws(ClusterFailure) -> any ClusterEngine {
        let age = age.load(ordering: .relaxed)
        let connection = try RedisConnection(access, patience: patience)
        let keys = RedisKeys(cluster: name)
        let run = try connection.prepare(for: keys)
        // Before anything is written: a write that too few replicas confirm is written again by the next connection.
        try waitForReplicas(by: connection)
        if connection.isNamed { connection.pulse = pulse(of: run) }
        try checkEviction(by: connection)
        if confirmed.hasJoined { try identify(by: connection, keys) }
        if let floors = confirmed.floors(toCompareWith: run) { try compare(floors, with: connection, keys) }
        let server = note(connection.access.address)
        if confirmed.trust(run) { restarted(server) }
        return RedisEngine(connection, keys, of: self, age: age)
    }

    /// Waits until enough replicas have what was written by a connection, half as long as for an answer; makes sure that the server was not
    /// replaced while it was silent.
    func waitForReplicas(by connection: RedisConnection) throws(ClusterFailure) {
        guard replicas > 0 else { return }
        let time = patience / 2
        let count =
            try connection.ask("WAIT", "\(replicas)", "\(max(1, Int(time / .milliseconds(1))))").number ?? 0
        guard count >= replicas else {
            throw .lost(
                "\(count) of the \(replicas == 1 ? "1 replica" : "\(replicas) replicas") that must keep what \(connection.access.address) confirms have it after \((time / .milliseconds(100)).rounded() / 10) s; start them, or lower \"replicas\""
            )
        }
        guard let pulse = connection.pulse, let silences = pulse.doubt else { return }
        let named = try RedisSentinels.primary(access, patience: patience)
        guard named?.access.address == connection.access.address else {
            throw .lost(
                "\(connection.access.address) was silent, and Sentinels name \(named?.access.address.description ?? "none") in its place"
            )
        }
        if let time = named?.downAfter, time < RedisPulse.shortestDeath {
            throw .denied(
                "Sentinels take \(connection.access.address) for dead after \(time / .seconds(1)) s, within which a member may not notice that it was silent; set their down-after-milliseconds to \(Int(RedisPulse.shortestDeath / .milliseconds(1))) or more"
            )
        }
        pulse.clear(silences)
    }

    /// Records the server that a connection leads to, and returns it.
    private func note(_ address: RedisAddress) -> ClusterServer {
        connected.withLock { known in
            if var same = known, same.address == address.description {
                same.former = nil
                return same
            }
            let server = ClusterServer(
                address: address.description, since: .now, replicas: replicas, former: known?.address)
            known = server
            return server
        }
    }

    /// Returns the pulse of a run, which has just answered.
    private func pulse(of run: String) -> RedisPulse {
        pulse.withLock { known in
            if let known, known.run == run {
                known.pulse.beat()
                return known.pulse
            }
            let new = RedisPulse()
            known = (run, new)
            return new
        }
    }

    /// Checks that the server evicts no keys of the cluster when it is full.
    ///
    /// One that evicts only keys which expire takes none: the turn alone expires, and nothing depends on it.
    func checkEviction(by connection: RedisConnection) throws(ClusterFailure) {
        let text = try connection.ask("INFO", "memory").text ?? ""
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("maxmemory_policy:") }
        guard let policy = line?.dropFirst(17), policy.hasPrefix("allkeys-") else { return }
        let reason =
            "\(address) may evict partitions when it is full, by maxmemory-policy \(RedisReply.shown(policy)); set that to noeviction"
        // Something may have been evicted by now.
        confirmed.doubt()
        denial.withLock { $0 = (reason, .now) }
        age.add(1, ordering: .relaxed)
        throw .denied(reason)
    }

    /// Why a connection cannot be used any more that is older than the last refusal.
    var outdated: ClusterFailure { .denied(denial.withLock { $0?.reason } ?? "the connection is outdated") }

    /// Checks that the server has the cluster that this process knows, and that nobody has halted it.
    private func identify(by connection: RedisConnection, _ keys: RedisKeys) throws(ClusterFailure) {
        guard let shape = try connection.ask("GET", keys.shape).text else { throw emptied() }
        if let halt = RedisHalt(shape) { throw halted(halt) }
        let eras = try connection.ask("GET", keys.eras).text ?? ""
        guard confirmed.isFamiliar(eras.split(separator: " ").map(String.init)) else {
            throw lost("has another cluster '\(name)' than the one that this member knows: it was replaced")
        }
    }

    /// Checks that a server has everything it had confirmed.
    private func compare(
        _ floors: [ClusterPromise.Floor], with connection: RedisConnection, _ keys: RedisKeys
    ) throws(ClusterFailure) {
        if let first = try differences(floors, from: connection, keys).first {
            throw goneBack(first.known, first.found)
        }
    }

    /// Returns everything that the server had confirmed and lacks, and what it has instead.
    private func differences(
        _ floors: [ClusterPromise.Floor], from connection: RedisConnection, _ keys: RedisKeys
    ) throws(ClusterFailure) -> [(known: String, found: String)] {
        connection.send("HGETALL", keys.titles)
        for partition in floors.indices {
            connection.send("XINFO", "STREAM", keys.stream(partition))
            connection.send("HGET", keys.state(partition), "offset")
        }
        let titles = RedisKeys.titles(try connection.receive().checked(), partitions: partitions)
        var found: [(known: String, found: String)] = []
        for (partition, floor) in floors.enumerated() {
            // A missing stream is answered as an error.
            let entry = try connection.receive().pairs["last-generated-id"]?.offset ?? .start
            let checkpoint = try connection.receive().offset ?? .start
            let epoch = titles[partition].epoch
            if entry < floor.entry {
                found.append(("actions of partition \(partition) up to \(floor.entry)", "\(entry)"))
            }
            if checkpoint < floor.checkpoint {
                found.append(
                    ("a checkpoint of partition \(partition) at \(floor.checkpoint)", "one at \(checkpoint)"))
            }
            if epoch < floor.epoch {
                found.append(("epoch \(floor.epoch) of partition \(partition)", "epoch \(epoch)"))
            }
        }
        return found
    }

    // MARK: - The halt

    /// The most differences that a member records.
    private static let mostDifferences = 200

    package func halt(for failure: ClusterFailure, by member: String, at time: Int) throws(ClusterFailure)
        -> Bool
    {
        guard case .goneBack(let reason) = failure else { return false }
        let connection = try RedisConnection(access, patience: patience)
        let keys = RedisKeys(cluster: name)
        try connection.prepare(for: keys)
        let promise = confirmed.promise
        let all = try differences(promise.floors, from: connection, keys)
        var lines = all.prefix(Self.mostDifferences).map { "had \($0.known), found \($0.found)" }
        if all.count > lines.count { lines.append("and \(all.count - lines.count) more") }
        let sentence = reason.hasSuffix(Self.remedy) ? String(reason.dropLast(Self.remedy.count)) : reason
        return try connection.run(
            .halt, keys: [keys.shape, keys.titles, keys.missing, keys.eras], arguments: 6
        ) { commands in
            commands.add(shape.text)
            commands.add(RedisHalt(shape, at: time, "\(member): \(sentence)").text)
            commands.add(partitions)
            commands.add(member)
            commands.add(lines.joined(separator: "\n"))
            commands.add(promise.era ?? "")
        }.number == 1
    }
}
