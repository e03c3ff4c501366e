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
    /// Why access was last denied, and when; nil before that ever happened.
    private let denial = Mutex<(reason: String, time: ContinuousClock.Instant)?>(nil)
    /// How long not to try again after access was denied.
    private let pause: Duration
    /// Called when the server was restarted or replaced, and still has everything it had confirmed.
    private let restarted: @Sendable () -> Void

    /// Creates a cluster without connecting.
    ///
    /// - Parameters:
    ///   - replicas: how many replicas must have what Redis confirms.
    ///   - patience: how long connecting, and each answer, may take.
    ///   - pause: how long not to connect again after a connection was denied access.
    ///   - restarted: called in the connecting thread when the server is another run than before, and has everything it had
    ///     confirmed.
    package init(
        _ access: RedisAccess, name: String, partitions: Int, replicas: Int = 0,
        patience: Duration = .seconds(1), pause: Duration = .seconds(1),
        restarted: @escaping @Sendable () -> Void = {}
    ) {
        self.access = access
        self.name = name
        self.partitions = partitions
        self.replicas = replicas
        shape = RedisShape(partitions: partitions)
        self.patience = patience
        self.pause = pause
        self.restarted = restarted
        confirmed = ClusterMemory(partitions: partitions)
    }

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
        try connection.prepare(for: keys)
        // Before anything is written: a write that too few replicas confirm is written again by the next connection.
        try waitForReplicas(by: connection)
        let run = try run(of: connection)
        try checkEviction(by: connection)
        if confirmed.hasJoined { try identify(by: connection, keys) }
        if let floors = confirmed.floors(toCompareWith: run) { try compare(floors, with: connection, keys) }
        if confirmed.trust(run) { restarted() }
        return RedisEngine(connection, keys, of: self, age: age)
    }

    /// Waits until enough replicas have what was written by a connection; half as long as for an answer.
    func waitForReplicas(by connection: RedisConnection) throws(ClusterFailure) {
        guard replicas > 0 else { return }
        let time = patience / 2
        let count =
            try connection.ask("WAIT", "\(replicas)", "\(max(1, Int(time / .milliseconds(1))))").number ?? 0
        guard count < replicas else { return }
        throw .lost(
            "\(count) of the \(replicas == 1 ? "1 replica" : "\(replicas) replicas") that must keep what \(address) confirms have it after \(time / .seconds(1)) s; start them, or lower \"replicas\""
        )
    }

    /// Returns the id that distinguishes the server's process from all others.
    private func run(of connection: RedisConnection) throws(ClusterFailure) -> String {
        let text = try connection.ask("INFO", "server").text ?? ""
        let lines = text.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("run_id:") }) else {
            throw .refused("\(address) did not report its run_id; is it a Redis?")
        }
        let version = lines.first { $0.hasPrefix("redis_version:") }?.dropFirst(14) ?? ""
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 7 else {
            throw .refused("\(address) is Redis \(RedisReply.shown(version)), and a cluster needs 7 or later")
        }
        return String(line.dropFirst(7))
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

    /// Returns the failure of a halted cluster.
    private func halted(_ halt: RedisHalt) -> ClusterFailure {
        .goneBack("the cluster '\(name)' at \(address) is halted, as found by \(halt.reason)\(Self.remedy)")
    }

    // MARK: - What is told

    /// Returns the failure of a server that lacks data of a partition, in the words of a script: the number of the partition, what is
    /// missing, and the offsets that were known and found.
    func vanished(_ words: Substring) -> ClusterFailure {
        let parts = words.split(separator: " ").map { RedisReply.shown($0) }
        guard parts.count == 4 else { return .refused("Redis gave an unexpected answer: \(words)") }
        let (known, found) =
            parts[1] == "checkpoint"
            ? ("a checkpoint of partition \(parts[0]) at \(parts[2])", "one at \(parts[3])")
            : ("actions of partition \(parts[0])", "none of them")
        return lost("had confirmed \(known), and has \(found) now: keys of the cluster were removed")
    }

    /// Returns the failure of a server that has less than it had confirmed.
    func goneBack(_ known: String, _ found: String) -> ClusterFailure {
        lost("had confirmed \(known), and has \(found) now: it went back to an older copy")
    }

    /// Returns the failure of a server that does not know the cluster any more.
    func emptied() -> ClusterFailure { lost("does not know the cluster '\(name)' any more: it was emptied") }

    /// Returns the failure of a server that has lost something, and makes the next connection compare everything.
    private func lost(_ sentence: String) -> ClusterFailure {
        confirmed.doubt()
        return .goneBack("\(address) \(sentence)\(Self.remedy)")
    }

    /// What to do about lost data, as the end of a sentence.
    private static let remedy =
        ". Restore its newest copy and start the members again, or continue without the lost data by gatehouse cluster resume"

    /// Returns the failure of a cluster with another number of partitions or another form, or of a missing one.
    func misshapen(_ text: some StringProtocol) -> ClusterFailure {
        if let resize = RedisResize(text) {
            return .refused(
                "the cluster '\(name)' at \(address) is being resized from \(resize.old.partitions) to \(resize.new.partitions) partitions; wait for that, or, if it was interrupted, start it over with gatehouse cluster resize"
            )
        }
        if let halt = RedisHalt(text) { return halted(halt) }
        if !text.isEmpty {
            guard let there = RedisShape(text) else {
                return .refused(
                    "the cluster '\(name)' at \(address) has the shape \"\(RedisReply.shown(text))\", which no host wrote"
                )
            }
            if let objection = there.objection {
                return .refused("the cluster '\(name)' at \(address) \(objection)")
            }
            return .resized(name, at: address, to: there.partitions, expected: partitions)
        }
        return confirmed.hasJoined
            ? emptied() : .missing(name, at: address)
    }
}
