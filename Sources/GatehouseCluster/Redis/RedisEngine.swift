// SPDX-License-Identifier: Apache-2.0

private import CHiredis

/// Partitions in Redis 7: a stream for the actions of each, a hash for its state, and all titles in one hash.
///
/// Streams are read by offset, without consumer groups: those would hand the actions of one key to several readers. Leases run by the
/// clock of the server.
final class RedisEngine: ClusterEngine {
    /// The connection, for one thread at a time.
    let connection: RedisConnection
    /// The keys of the cluster.
    let keys: RedisKeys
    /// The cluster that it is connected to.
    let cluster: RedisCluster
    /// How many partitions there are.
    var partitions: Int { cluster.partitions }

    /// Speaks to a cluster over a connection.
    init(_ connection: RedisConnection, _ keys: RedisKeys, of cluster: RedisCluster) {
        self.connection = connection
        self.keys = keys
        self.cluster = cluster
    }

    // MARK: - Actions

    func append(_ batch: ClusterBatch) throws(ClusterFailure) {
        guard !batch.isEmpty else { return }
        // By partition: the script looks each stream up once.
        var counts = Array(repeating: 0, count: partitions)
        for item in batch.items { counts[item.partition] += 1 }
        let used = counts.indices.filter { counts[$0] > 0 }
        var places = Array(repeating: 0, count: partitions)
        var next = 0
        for partition in used {
            places[partition] = next
            next += counts[partition]
        }
        var order = Array(repeating: 0, count: batch.count)
        for (index, item) in batch.items.enumerated() {
            order[places[item.partition]] = index
            places[item.partition] += 1
        }
        let reply = try run(
            .append, keys: [keys.shape] + used.map(keys.stream), arguments: 1 + used.count + 2 * batch.count
        ) { commands in
            commands.reserve(batch.byteCount + batch.count * 16)
            commands.add(partitions)
            for partition in used { commands.add(counts[partition]) }
            for index in order {
                let item = batch.items[index]
                let middle = item.start + item.origin
                commands.add(batch.bytes[middle..<(middle + item.action)])
                commands.add(batch.bytes[item.start..<middle])
            }
        }
        cluster.memory.see(
            zip(used, reply.elements).map { (partition: $0, offset: $1.offset ?? .start) })
    }

    func read(
        _ offsets: [(partition: Int, offset: ClusterOffset)], atMost count: Int, waiting: Duration,
        _ body: (Int, borrowing ClusterEntry) -> Void
    ) throws(ClusterFailure) {
        guard !offsets.isEmpty else { return }
        let milliseconds = Int((waiting / .milliseconds(1)).rounded(.up))
        let isWaiting = milliseconds > 0
        try connection.send { commands in
            commands.begin(words: 4 + (isWaiting ? 2 : 0) + 2 * offsets.count)
            commands.add("XREAD")
            commands.add("COUNT")
            commands.add(count)
            // Zero would wait for ever.
            if isWaiting {
                commands.add("BLOCK")
                commands.add(milliseconds)
            }
            commands.add("STREAMS")
            for (partition, _) in offsets { commands.add(keys.stream(partition)) }
            for (_, offset) in offsets { commands.add(offset) }
        }
        var seen: [(partition: Int, offset: ClusterOffset)] = []
        let failure: RedisReply? = unsafe try connection.receive(longer: isWaiting ? waiting : .zero) {
            reply in
            let kind = unsafe UInt32(gatehouse_redis_kind_of(reply))
            guard kind == gatehouse_redis_array.rawValue else {
                return unsafe kind == gatehouse_redis_nil.rawValue ? nil : RedisReply(copying: reply)
            }
            for index in 0..<(unsafe gatehouse_redis_count(reply)) {
                if let last = unsafe show(gatehouse_redis_element(reply, index), body) { seen.append(last) }
            }
            return nil
        }
        if let failure { throw RedisConnection.failure(failure) }
        if !seen.isEmpty { cluster.memory.see(seen) }
    }

    /// Shows what was read of a stream.
    ///
    /// - Returns: the last of it.
    private func show(_ stream: OpaquePointer, _ body: (Int, borrowing ClusterEntry) -> Void)
        -> (partition: Int, offset: ClusterOffset)?
    {
        let partition = unsafe Int(gatehouse_redis_number_at_end(gatehouse_redis_element(stream, 0)))
        let entries = unsafe gatehouse_redis_element(stream, 1)
        var last: ClusterOffset?
        for index in 0..<(unsafe gatehouse_redis_count(entries)) {
            var entry = unsafe gatehouse_redis_entry()
            guard unsafe gatehouse_redis_entry_at(entries, index, &entry) else { continue }
            let offset = unsafe ClusterOffset(entry.high, entry.low)
            unsafe body(
                partition,
                ClusterEntry(
                    offset: offset,
                    originBytes: UnsafeRawBufferPointer(start: entry.origin, count: entry.origin_length),
                    action: UnsafeRawBufferPointer(start: entry.action, count: entry.action_length)))
            last = offset
        }
        return last.map { (partition, $0) }
    }

    // MARK: - Partitions

    func checkpoint(_ checkpoint: ClusterCheckpoint) throws(ClusterFailure) -> ClusterRoll.Title? {
        let targets = Set(checkpoint.outputs.map(\.partition)).sorted()
        let places = Dictionary(uniqueKeysWithValues: targets.enumerated().map { ($1, $0 + 5) })
        let title = ClusterRoll.Title(owner: checkpoint.member, epoch: checkpoint.epoch)
        let partition = checkpoint.partition
        let known = cluster.memory.epoch(of: partition)
        let reply = try run(
            .checkpoint,
            keys: [keys.titles, keys.state(partition), keys.stream(partition), keys.dead]
                + targets.map(keys.stream),
            arguments: 9 + 2 * checkpoint.slices.count + checkpoint.gone.count + 7 * checkpoint.dead.count
                + 3 * checkpoint.outputs.count
        ) { commands in
            commands.add(partition)
            commands.add(RedisKeys.text(title))
            commands.add(checkpoint.offset)
            commands.add(checkpoint.processed)
            commands.add(checkpoint.number)
            commands.add(checkpoint.slices.count)
            commands.add(checkpoint.gone.count)
            commands.add(checkpoint.dead.count)
            commands.add(checkpoint.outputs.count)
            for (name, bytes) in checkpoint.slices {
                commands.add(name)
                commands.add(bytes)
            }
            for name in checkpoint.gone { commands.add(name) }
            for letter in checkpoint.dead {
                commands.add(letter.partition)
                commands.add(letter.offset)
                commands.add(letter.origin?.description ?? "")
                commands.add(letter.action)
                commands.add(letter.reason)
                commands.add(letter.member)
                commands.add("\(letter.time)")
            }
            for output in checkpoint.outputs {
                commands.add(places[output.partition] ?? 0)
                commands.add(output.action)
                commands.add(output.origin.description)
            }
        }
        if let text = reply.text {
            let title = RedisKeys.title(text)
            try check(title, of: partition, notBelow: known)
            return title
        }
        cluster.memory.see(checkpoint: checkpoint.offset, of: partition)
        return nil
    }

    func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition
    {
        let known = cluster.memory.epoch(of: partition)
        let reply = try run(
            .acquire, keys: [keys.leases, keys.titles, keys.state(partition), keys.members], "\(partition)",
            member,
            "\(epoch)", cluster.memory.life(of: member) ?? "")
        guard reply.elements.first?.number == 1 else {
            let title = RedisKeys.title(reply.elements.last?.text ?? "")
            try check(title, of: partition, notBelow: known)
            return .refused(title)
        }
        let kept = reply.elements.last?.pairs ?? [:]
        var slices: [String: [UInt8]] = [:]
        for (name, value) in kept where name.hasPrefix("s:") {
            slices[String(name.dropFirst(2))] = value.data ?? []
        }
        let offset = kept["offset"]?.offset ?? .start
        cluster.memory.see(epoch: epoch + 1, of: partition)
        cluster.memory.see(checkpoint: offset, of: partition)
        return .granted(
            epoch: epoch + 1, offset: offset, slices: slices, attempts: kept["grants"]?.number ?? 1)
    }

    func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure) {
        _ = try run(
            .release, keys: [keys.titles, keys.state(partition)], "\(partition)",
            RedisKeys.text(.init(owner: member, epoch: epoch)),
            RedisKeys.text(.init(owner: nil, epoch: epoch)))
    }

    func attempt(_ partition: Int, at offset: ClusterOffset, of member: String, epoch: Int)
        throws(ClusterFailure)
        -> Int?
    {
        try run(
            .attempt, keys: [keys.titles, keys.state(partition)], "\(partition)",
            RedisKeys.text(.init(owner: member, epoch: epoch)), offset.description
        ).number
    }

    /// Looks whether a title is as young as one that was known before the server was asked for it.
    func check(_ title: ClusterRoll.Title, of partition: Int, notBelow known: Int) throws(ClusterFailure) {
        guard title.epoch >= known else {
            throw cluster.goneBack("epoch \(known) of partition \(partition)", "epoch \(title.epoch)")
        }
        cluster.memory.see(epoch: title.epoch, of: partition)
    }

    // MARK: - Scripts

    /// Runs a script; what it says against it is thrown.
    func run(
        _ script: RedisScript, keys: [String], arguments: Int,
        _ write: (inout RedisCommands) -> Void
    ) throws(ClusterFailure) -> RedisReply {
        do {
            return try connection.run(script, keys: keys, arguments: arguments, write)
        } catch .refused(let reason) {
            if reason.hasPrefix("SHAPE") { throw cluster.misshapen(reason.dropFirst(6)) }
            if reason.hasPrefix("SUPERSEDED") {
                let other = RedisKeys.presence("", String(reason.dropFirst(11)))
                throw .superseded("process \(other.process), life \(other.life)")
            }
            if reason.hasPrefix("BEHIND") {
                throw .refused("a checkpoint at \(reason.dropFirst(7)) is kept, which lies behind this one")
            }
            throw .refused(reason)
        }
    }

    /// Runs a script with arguments that are texts.
    func run(_ script: RedisScript, keys: [String], _ arguments: String...) throws(ClusterFailure)
        -> RedisReply
    {
        try run(script, keys: keys, arguments: arguments.count) { commands in
            for argument in arguments { commands.add(argument) }
        }
    }
}
