// SPDX-License-Identifier: Apache-2.0

extension RedisEngine {
    package func join(_ presence: ClusterPresence) throws(ClusterFailure) {
        let mayMake = cluster.confirmed.hasJoined ? "0" : "1"
        let era = String(UInt64.random(in: .min ... .max), radix: 36)
        let reply = try run(
            .join, keys: [keys.shape, keys.members, keys.eras], cluster.shape.text, presence.name,
            RedisKeys.text(presence), mayMake, era)
        try cluster.waitForReplicas(by: connection)
        cluster.confirmed.join(era: reply.text?.split(separator: " ").last.map(String.init))
        cluster.confirmed.join(presence)
    }

    package func renew(_ member: ClusterPresence, for lease: Duration) throws(ClusterFailure) -> ClusterRoll {
        cluster.confirmed.join(member)
        let known = cluster.confirmed.epochs
        let reply = try run(
            .renew, keys: [keys.shape, keys.leases, keys.titles, keys.members, keys.draining, keys.reload],
            cluster.shape.text, member.name, member.life, RedisKeys.text(member),
            "\(Int(lease / .milliseconds(1)))")
        try cluster.checkEviction(by: connection)
        // A member that only a server without replicas knows must not believe in its lease.
        try cluster.waitForReplicas(by: connection)
        let parts = reply.elements
        guard parts.count == 5 else { throw .refused("Redis gave an unexpected answer to a renewal") }
        let titles = RedisKeys.titles(parts[1], partitions: partitions)
        let live = Set(parts[0].elements.compactMap(\.text))
        for (partition, title) in titles.enumerated() {
            try check(title, of: partition, notBelow: known[partition], isConfirmed: true)
        }
        var digests: [String: String] = [:]
        for (name, text) in parts[2].pairs where live.contains(name) {
            digests[name] = RedisKeys.presence(name, text.text ?? "").digest
        }
        return ClusterRoll(
            live: live, titles: titles, draining: Set(parts[3].elements.compactMap(\.text)),
            reload: parts[4].number ?? 0, digests: digests)
    }

    package func leave(_ presence: ClusterPresence) throws(ClusterFailure) {
        _ = try run(.leave, keys: [keys.members, keys.leases, keys.turn], presence.name, presence.life)
    }

    package func drain(_ member: String, _ isDraining: Bool) throws(ClusterFailure) {
        _ = try run(.drain, keys: [keys.draining], member, isDraining ? "1" : "0")
    }

    package func takeTurn(for member: String, _ time: Duration) throws(ClusterFailure) -> Bool {
        let milliseconds = max(1, Int(time / .milliseconds(1)))
        return try run(.takeTurn, keys: [keys.turn], member, "\(milliseconds)").number == 1
    }

    package func endTurn(of member: String) throws(ClusterFailure) {
        _ = try run(.endTurn, keys: [keys.turn], member)
    }

    package func requestReload() throws(ClusterFailure) -> Int {
        try run(.requestReload, keys: [keys.reload]).number ?? 0
    }
}
