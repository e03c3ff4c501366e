// SPDX-License-Identifier: Apache-2.0

/// The keys of a cluster in Redis, and the texts stored there.
///
/// All keys carry the same hash tag, so that they are on one node and a script may touch any of them.
struct RedisKeys: Sendable {
    /// The prefix of all keys.
    let prefix: String

    /// Creates the keys of a cluster by name.
    init(cluster name: String) { prefix = "{gatehouse:\(name)}" }

    /// Creates keys with another prefix.
    init(prefix: String) { self.prefix = prefix }

    /// The pattern of all keys, for Redis's access control lists.
    var pattern: String { "~\(prefix):*" }
    /// The text of a ``RedisShape``; exists once a member has joined.
    var shape: String { prefix + ":shape" }
    /// The sorted set of members, by the milliseconds at which their leases expire.
    var leases: String { prefix + ":leases" }
    /// The hash of member presences, by name.
    var members: String { prefix + ":members" }
    /// The set of members that must own nothing.
    var draining: String { prefix + ":draining" }
    /// The hash of all titles, by partition.
    var titles: String { prefix + ":titles" }
    /// The hash of the numbers of actions appended, by partition.
    var added: String { prefix + ":added" }
    /// The hash of the offsets of the last checkpoints, by partition: what is missed when the hash of a partition vanishes.
    var kept: String { prefix + ":kept" }
    /// The eras of the data, oldest first, separated by spaces: see ``ClusterPromise/era``.
    var eras: String { prefix + ":eras" }
    /// The hash of what members miss in a halted cluster, by member.
    var missing: String { prefix + ":missing" }
    /// The holder of the turn; expires.
    var turn: String { prefix + ":turn" }
    /// The number of the last request to reload.
    var reload: String { prefix + ":reload" }
    /// The stream of dead letters.
    var dead: String { prefix + ":dead" }
    /// The stream of a partition's actions.
    func stream(_ partition: Int) -> String { "\(prefix):in:\(partition)" }
    /// The hash of a partition's offset, slices, and counters.
    func state(_ partition: Int) -> String { "\(prefix):state:\(partition)" }
    /// The hash of an earlier checkpoint of a partition, like that of its state.
    func state(_ partition: Int, at offset: ClusterOffset) -> String { "\(state(partition)):at:\(offset)" }

    // MARK: - Texts

    /// Returns the stored form of a title, such as `3 host-a`.
    static func text(_ title: ClusterRoll.Title) -> String { "\(title.epoch) \(title.owner ?? "")" }

    /// The valid epochs: effects are numbered from one of them, times 2^32.
    private static let epochs = 0...1 << 31

    /// Reads a title; with the epoch 0 where it has no valid one.
    static func title(_ text: String) -> ClusterRoll.Title {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let owner = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
        let epoch = parts.first.flatMap { Int($0) } ?? 0
        return .init(owner: owner, epoch: epochs.contains(epoch) ? epoch : 0)
    }

    /// Reads the titles of a hash, by partition.
    static func titles(_ reply: RedisReply, partitions: Int) -> [ClusterRoll.Title] {
        var titles = Array(repeating: ClusterRoll.Title(), count: partitions)
        let elements = reply.elements
        for index in stride(from: 0, to: elements.count - 1, by: 2) {
            guard let partition = elements[index].number, titles.indices.contains(partition) else { continue }
            titles[partition] = title(elements[index + 1].text ?? "")
        }
        return titles
    }

    /// Returns the stored form of a presence: life, process, start time, digest, version, without the name.
    static func text(_ presence: ClusterPresence) -> String {
        let digest = presence.digest.isEmpty ? "-" : presence.digest
        return "\(presence.life) \(presence.process) \(presence.started) \(digest) \(presence.version)"
    }

    /// Reads the presence of a name.
    static func presence(_ name: String, _ text: String) -> ClusterPresence {
        let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 5 else { return ClusterPresence(name: name, life: text) }
        return ClusterPresence(
            name: name, life: parts[0], digest: parts[3] == "-" ? "" : parts[3], version: parts[4],
            process: Int(parts[1]) ?? 0, started: RedisReply.bytes(Array(parts[2].utf8)).real ?? 0)
    }
}
