// SPDX-License-Identifier: Apache-2.0

/// Partitions in Redis 7: a stream for the actions of each, a hash for its state, and all titles in one hash.
///
/// All keys of a cluster carry the same hash tag, so that they are on one node and a script may touch any of them. Streams are read by
/// offset, without consumer groups: those would hand the actions of one key to several readers. Leases run by the clock of the server.
public final class RedisEngine: ClusterEngine {
    /// The connection; anew after it was lost.
    private let connection: RedisConnection
    /// What all keys begin with.
    private let prefix: String
    /// How many partitions there are.
    private let partitions: Int

    /// Connects to the Redis at an address.
    ///
    /// - Parameters:
    ///   - name: of the cluster; several may use the same Redis.
    ///   - patience: how long connecting, and each answer, may take.
    public init(_ address: RedisAddress, name: String, partitions: Int, patience: Duration = .seconds(1))
        throws(ClusterFailure)
    {
        connection = try RedisConnection(address, patience: patience)
        prefix = "{gatehouse:\(name)}"
        self.partitions = partitions
    }

    /// The key of the sorted set of members, by the milliseconds at which their leases run out.
    private var leases: String { prefix + ":leases" }
    /// The key of the hash of all titles, by partition.
    private var titles: String { prefix + ":titles" }
    /// The key of a partition's actions.
    private func stream(_ partition: Int) -> String { "\(prefix):in:\(partition)" }
    /// The key of a partition's offset and slices.
    private func state(_ partition: Int) -> String { "\(prefix):state:\(partition)" }

    public func append(_ actions: [(partition: Int, action: [UInt8])]) throws(ClusterFailure) {
        for (partition, action) in actions {
            try connection.send(
                [
                    Array("XADD".utf8), Array(stream(partition).utf8), [UInt8(ascii: "*")],
                    [UInt8(ascii: "a")], action,
                ])
        }
        var refusal: String?
        for _ in actions {
            if case .failure(let reason) = try connection.receive() { refusal = refusal ?? reason }
        }
        if let refusal { throw .refused(refusal) }
    }

    public func read(_ offsets: [Int: ClusterOffset], atMost count: Int, waiting: Duration)
        throws(ClusterFailure)
        -> [Int: [ClusterEntry]]
    {
        let order = offsets.sorted { $0.key < $1.key }
        guard !order.isEmpty else { return [:] }
        // Zero would wait for ever.
        let milliseconds = max(1, Int(waiting / .milliseconds(1)))
        let reply = try connection.ask(
            ["XREAD", "COUNT", "\(count)", "BLOCK", "\(milliseconds)", "STREAMS"]
                + order.map { stream($0.key) }
                + order.map(\.value.description))
        let numbers = Dictionary(uniqueKeysWithValues: order.map { (stream($0.key), $0.key) })
        var entries: [Int: [ClusterEntry]] = [:]
        for stream in reply.elements {
            guard let name = stream.elements.first?.text, let number = numbers[name] else { continue }
            entries[number] = (stream.elements.last?.elements ?? []).map(Self.entry)
        }
        return entries
    }

    /// An entry of a stream as it is read.
    private static func entry(_ reply: RedisReply) -> ClusterEntry {
        let fields = pairs(reply.elements.last?.elements ?? [])
        return ClusterEntry(
            offset: ClusterOffset(reply.elements.first?.text ?? ""),
            origin: fields["o"].map { String(decoding: $0, as: UTF8.self) }, action: fields["a"] ?? [])
    }

    public func checkpoint(_ checkpoint: ClusterCheckpoint) throws(ClusterFailure) -> ClusterRoll.Title? {
        let title = ClusterRoll.Title(owner: checkpoint.member, epoch: checkpoint.epoch)
        var arguments = [
            Array(String(checkpoint.partition).utf8), Array(Self.text(title).utf8),
            Array(checkpoint.offset.description.utf8), Array(String(checkpoint.slices.count).utf8),
        ]
        for (name, bytes) in checkpoint.slices { arguments += [Array(name.utf8), bytes] }
        for output in checkpoint.outputs { arguments += [Array(output.origin.utf8), output.action] }
        let reply = try connection.ask(
            RedisScript.checkpoint.command(
                keys: [titles, state(checkpoint.partition)] + checkpoint.outputs.map { stream($0.partition) },
                arguments))
        return reply.text.map(Self.title)
    }

    public func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition
    {
        let reply = try connection.ask(
            RedisScript.acquire.command(
                keys: [leases, titles, state(partition)],
                ["\(partition)", member, "\(epoch)"].map { Array($0.utf8) }))
        guard reply.elements.first?.number == 1 else {
            return .refused(Self.title(reply.elements.last?.text ?? ""))
        }
        let kept = Self.pairs(reply.elements.last?.elements ?? [])
        var slices: [String: [UInt8]] = [:]
        for (name, bytes) in kept where name.hasPrefix("s:") { slices[String(name.dropFirst(2))] = bytes }
        let offset = kept["offset"].map { String(decoding: $0, as: UTF8.self) } ?? "0-0"
        return .granted(epoch: epoch + 1, offset: ClusterOffset(offset), slices: slices)
    }

    public func renew(_ member: String, for lease: Duration) throws(ClusterFailure) -> ClusterRoll {
        let reply = try connection.ask(
            RedisScript.renew.command(
                keys: [leases, titles], [member, "\(Int(lease / .milliseconds(1)))"].map { Array($0.utf8) }))
        var roll = ClusterRoll(
            live: Set((reply.elements.first?.elements ?? []).compactMap(\.text)),
            titles: Array(repeating: .init(), count: partitions))
        for (partition, title) in Self.pairs(reply.elements.last?.elements ?? []) {
            guard let partition = Int(partition), roll.titles.indices.contains(partition) else { continue }
            roll.titles[partition] = Self.title(String(decoding: title, as: UTF8.self))
        }
        return roll
    }

    public func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure) {
        _ = try connection.ask(
            RedisScript.release.command(
                keys: [titles],
                [
                    "\(partition)", Self.text(.init(owner: member, epoch: epoch)),
                    Self.text(.init(owner: nil, epoch: epoch)),
                ].map { Array($0.utf8) }))
    }

    /// A title as Redis keeps it, such as `3 host-a`.
    private static func text(_ title: ClusterRoll.Title) -> String { "\(title.epoch) \(title.owner ?? "")" }

    /// The title of a text.
    private static func title(_ text: String) -> ClusterRoll.Title {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let owner = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
        return .init(owner: owner, epoch: parts.first.flatMap { Int($0) } ?? 0)
    }

    /// Names and values that stand in turns.
    private static func pairs(_ replies: [RedisReply]) -> [String: [UInt8]] {
        var pairs: [String: [UInt8]] = [:]
        for index in stride(from: 0, to: replies.count - 1, by: 2) {
            guard let name = replies[index].text, let value = replies[index + 1].data else { continue }
            pairs[name] = value
        }
        return pairs
    }
}
