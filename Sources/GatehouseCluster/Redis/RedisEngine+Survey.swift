// SPDX-License-Identifier: Apache-2.0

extension RedisEngine {
    package func survey() throws(ClusterFailure) -> ClusterSurvey {
        connection.send("TIME")
        connection.send("ZRANGE", keys.leases, "0", "-1", "WITHSCORES")
        connection.send("HGETALL", keys.members)
        connection.send("SMEMBERS", keys.draining)
        connection.send("XLEN", keys.dead)
        connection.send("HGETALL", keys.titles)
        connection.send("HGETALL", keys.added)
        connection.send("INFO", "replication")
        for partition in 0..<partitions {
            connection.send("XINFO", "STREAM", keys.stream(partition))
            connection.send("HMGET", keys.state(partition), "offset", "processed", "time")
        }
        let clock = try connection.receive().checked().elements
        let now = (clock.first?.number ?? 0) * 1_000 + (clock.last?.number ?? 0) / 1_000
        let leases = try connection.receive().checked().pairs
        let members = try connection.receive().checked().pairs
        let draining = Set(try connection.receive().checked().elements.compactMap(\.text))
        let dead = try connection.receive().checked().number ?? 0
        let titles = RedisKeys.titles(try connection.receive().checked(), partitions: self.partitions)
        let added = try connection.receive().checked().pairs
        let facts = RedisFacts(try connection.receive().checked().text ?? "")
        var partitions: [ClusterSurvey.Partition] = []
        for (partition, title) in titles.enumerated() {
            // A missing stream is answered as an error.
            let stream = try connection.receive().pairs
            let state = try connection.receive().checked().elements
            let offset = state.first?.offset ?? .start
            let lag = (added["\(partition)"]?.number ?? 0) - (state.dropFirst().first?.number ?? 0)
            let isBehind = offset < stream["last-generated-id"]?.offset ?? .start
            partitions.append(
                .init(
                    // Actions appended by hand are not counted before they are processed.
                    title: title, offset: offset, lag: isBehind ? max(1, lag) : 0, waiting: nil,
                    checkpointAge: state.last?.number.map { .milliseconds(now - $0) }))
        }
        try ask(for: &partitions, now: now)
        return ClusterSurvey(
            members: members.map { name, text in
                let ending = leases[name]?.real ?? 0
                return .init(
                    presence: RedisKeys.presence(name, text.text ?? ""),
                    leaseLeft: .milliseconds(Int(ending) - (ending > 0 ? now : 0)),
                    isDraining: draining.contains(name))
            }.sorted { $0.presence.name < $1.presence.name },
            partitions: partitions, dead: dead, time: Double(now) / 1_000,
            server: .init(address: connection.access.address.description, replicas: facts.replicas))
    }

    /// Requests how long the oldest action has been waiting in partitions that have any.
    private func ask(for partitions: inout [ClusterSurvey.Partition], now: Int) throws(ClusterFailure) {
        let lagging = partitions.indices.filter { partitions[$0].lag > 0 }
        for partition in lagging {
            connection.send(
                "XRANGE", keys.stream(partition), "(\(partitions[partition].offset.entryBefore)", "+",
                "COUNT", "1")
        }
        for partition in lagging {
            let entry = try connection.receive().checked().elements.first?.elements.first?.offset
            // The action was removed by hand.
            if entry == nil { partitions[partition].lag = 0 }
            partitions[partition].waiting = entry.map {
                .milliseconds(
                    max(0, now - Int(clamping: min($0.high, UInt64(RedisReply.greatest)))))
            }
        }
    }

    /// The most dead letters requested at once, because an answer must not become too large.
    private static var lettersAtOnce: Int { 1_000 }

    package func deadLetters(atMost count: Int) throws(ClusterFailure) -> [ClusterDeadLetter] {
        var (entries, last): ([RedisReply], String) = ([], "+")
        while entries.count < count {
            let most = min(count - entries.count, Self.lettersAtOnce)
            let page = try connection.ask("XREVRANGE", keys.dead, last, "-", "COUNT", "\(most)").elements
            entries += page
            guard page.count == most, let id = page.last?.elements.first?.offset else { break }
            last = "(\(id)"
        }
        return entries.reversed().map { entry in
            let fields = entry.elements.last?.pairs ?? [:]
            return ClusterDeadLetter(
                partition: fields["partition"]?.number ?? 0, offset: fields["offset"]?.offset ?? .start,
                origin: fields["o"]?.text.flatMap { ClusterOrigin($0) }, action: fields["a"]?.data ?? [],
                reason: fields["reason"]?.text ?? "", member: fields["member"]?.text ?? "",
                time: fields["time"]?.real ?? 0)
        }
    }
}
