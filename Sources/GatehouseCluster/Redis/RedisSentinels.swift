// SPDX-License-Identifier: Apache-2.0

/// Asks Sentinels which server is the primary at present.
enum RedisSentinels {
    /// The server that Sentinels name.
    struct Primary {
        /// How to connect to it.
        let access: RedisAccess
        /// The shortest silence after which one of them takes it for dead; nil where none says so.
        let downAfter: Duration?
    }

    /// What a Sentinel says.
    private struct Answer {
        /// The Sentinel.
        let sentinel: RedisAddress.Port
        /// The primary.
        let primary: RedisAddress.Port
        /// Rises with each failover.
        let epoch: Int
        /// The silence after which it takes the primary for dead, in milliseconds.
        let downAfter: Int?
        /// Whether it is promoting a replica in the primary's place, and has not finished.
        let isReplacing: Bool
    }

    /// Returns the primary; nil where the address names no Sentinels.
    ///
    /// All Sentinels are asked: one that was cut off still names the primary of before, and only the one that leads a failover knows
    /// that it is under way.
    ///
    /// - Parameter patience: how long all of them together may take.
    /// - Throws: `lost` when none answers, or knows the name, and while the primary is being replaced; `denied` when all deny access.
    static func primary(_ access: RedisAccess, patience: Duration) throws(ClusterFailure) -> Primary? {
        guard case .sentinels(let ports, let name) = access.address.place else { return nil }
        var (problems, denials): ([String], Int) = ([], 0)
        var answers: [Answer] = []
        for port in ports {
            do throws(ClusterFailure) {
                answers.append(try ask(port, for: name, access, patience: patience / ports.count))
            } catch {
                switch error {
                case .refused(let words): problems.append(words)
                case .denied(let words):
                    problems.append("the Sentinel at \(port): \(words)")
                    denials += 1
                case .lost(let words): problems.append("the Sentinel at \(port): \(words)")
                default: problems.append("the Sentinel at \(port): \(error)")
                }
            }
        }
        guard let newest = answers.max(by: { $0.epoch < $1.epoch }) else {
            let words = problems.joined(separator: "; ")
            throw denials == ports.count ? .denied(words) : .lost(words)
        }
        if let replacing = answers.first(where: { $0.isReplacing && $0.primary == newest.primary }) {
            throw .lost(
                "the Sentinel at \(replacing.sentinel) is promoting a replica in place of \(newest.primary)")
        }
        return Primary(
            access: RedisAccess(
                .tcp(
                    host: newest.primary.host, port: newest.primary.number, user: access.address.user,
                    isEncrypted: access.address.isEncrypted),
                password: access.password, tls: access.tls),
            downAfter: answers.compactMap(\.downAfter).min().map { .milliseconds($0) })
    }

    /// Asks one Sentinel.
    ///
    /// - Throws: `refused` when it does not know the name.
    private static func ask(
        _ port: RedisAddress.Port, for name: String, _ access: RedisAccess, patience: Duration
    ) throws(ClusterFailure) -> Answer {
        let access = access.sentinel(at: port)
        let sentinel = try RedisConnection(access, patience: patience)
        sentinel.send("SENTINEL", "get-master-addr-by-name", name)
        sentinel.send("SENTINEL", "master", name)
        let named = try sentinel.receive()
        let facts = try sentinel.receive().pairs
        if case .refused(let reason) = named.failure, let denial = access.refusal(reason) { throw denial }
        let words = named.elements.compactMap(\.text)
        guard words.count == 2, let number = Int(words[1]), (1...65_535).contains(number) else {
            throw .refused("the Sentinel at \(port) knows no \(name)")
        }
        // Once it has promoted a replica, it names that one, although it still has facts about the server of before.
        let isOld = facts["ip"]?.text == words[0] && facts["port"]?.text == words[1]
        let flags = (facts["flags"]?.text ?? "").split(separator: ",")
        return Answer(
            sentinel: port, primary: .init(host: words[0], number: number),
            epoch: facts["config-epoch"]?.number ?? 0,
            downAfter: facts["down-after-milliseconds"]?.number,
            isReplacing: isOld && flags.contains("failover_in_progress"))
    }
}
