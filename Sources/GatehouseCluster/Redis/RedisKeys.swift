// SPDX-License-Identifier: Apache-2.0

/// The keys of a cluster in Redis, and the texts that stand there.
///
/// All keys carry the same hash tag, so that they are on one node and a script may touch any of them.
struct RedisKeys: Sendable {
    /// What all keys begin with.
    let prefix: String

    /// The keys of a cluster of a name.
    init(cluster name: String) { prefix = "{gatehouse:\(name)}" }

    /// Keys that begin with something else.
    init(prefix: String) { self.prefix = prefix }

    /// What all keys are like, in the words of Redis's access control lists.
    var pattern: String { "~\(prefix):*" }
    /// The text of a ``RedisShape``; there as soon as a member has joined.
    var shape: String { prefix + ":shape" }
    /// The sorted set of members, by the milliseconds at which their leases run out.
    var leases: String { prefix + ":leases" }
    /// The hash of what is known of members, by name.
    var members: String { prefix + ":members" }
    /// The set of members that are to own nothing.
    var draining: String { prefix + ":draining" }
    /// The hash of all titles, by partition.
    var titles: String { prefix + ":titles" }
    /// The hash of how many actions were put into each partition.
    var added: String { prefix + ":added" }
    /// Who has the turn; runs out.
    var turn: String { prefix + ":turn" }
    /// The number of the last request to reload.
    var reload: String { prefix + ":reload" }
    /// The stream of dead letters.
    var dead: String { prefix + ":dead" }
    /// The stream of a partition's actions.
    func stream(_ partition: Int) -> String { "\(prefix):in:\(partition)" }
    /// The hash of a partition's offset, slices, and what is counted.
    func state(_ partition: Int) -> String { "\(prefix):state:\(partition)" }

    // MARK: - Texts

    /// A title as it is kept, such as `3 host-a`.
    static func text(_ title: ClusterRoll.Title) -> String { "\(title.epoch) \(title.owner ?? "")" }

    /// The epochs that there can be: effects are numbered from one of them, times 2^32.
    private static let epochs = 0...1 << 31

    /// The title of a text; with the epoch 0 where it has none that there can be.
    static func title(_ text: String) -> ClusterRoll.Title {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let owner = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
        let epoch = parts.first.flatMap { Int($0) } ?? 0
        return .init(owner: owner, epoch: epochs.contains(epoch) ? epoch : 0)
    }

    /// The titles of a hash of texts, by partition.
    static func titles(_ reply: RedisReply, partitions: Int) -> [ClusterRoll.Title] {
        var titles = Array(repeating: ClusterRoll.Title(), count: partitions)
        let elements = reply.elements
        for index in stride(from: 0, to: elements.count - 1, by: 2) {
            guard let partition = elements[index].number, titles.indices.contains(partition) else { continue }
            titles[partition] = title(elements[index + 1].text ?? "")
        }
        return titles
    }

    /// A presence as it is kept: life, process, time of start, digest, version; the name is the key.
    static func text(_ presence: ClusterPresence) -> String {
        let digest = presence.digest.isEmpty ? "-" : presence.digest
        return "\(presence.life) \(presence.process) \(presence.started) \(digest) \(presence.version)"
    }

    /// The presence of a name and a text.
    static func presence(_ name: String, _ text: String) -> ClusterPresence {
        let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 5 else { return ClusterPresence(name: name, life: text) }
        return ClusterPresence(
            name: name, life: parts[0], digest: parts[3] == "-" ? "" : parts[3], version: parts[4],
            process: Int(parts[1]) ?? 0, started: RedisReply.bytes(Array(parts[2].utf8)).real ?? 0)
    }
}
