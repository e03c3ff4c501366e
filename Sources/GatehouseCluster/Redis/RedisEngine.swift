// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Partitions in Redis 7: a stream for the actions of each, a hash for its state, and all titles in one hash.
///
/// Streams are read by offset, without consumer groups: those would distribute the actions of one key to several readers. Leases run
/// by the clock of the server.
package final class RedisEngine: ClusterEngine {
    /// The connection, for one thread at a time.
    let connection: RedisConnection
    /// The keys of the cluster.
    let keys: RedisKeys
    /// The connected cluster.
    let cluster: RedisCluster
    /// The number of actions per entry in the last answer, rounded up.
    var actionsPerEntry = 1
    /// The server's id of the connection; nil before it is needed.
    var name: Int?
    /// The age of the cluster when the connection was made.
    private let age: Int
    /// The number of partitions.
    var partitions: Int { cluster.partitions }

    /// Creates the engine of a cluster over a connection.
    ///
    /// - Parameter age: the cluster's age before the connection was checked.
    init(_ connection: RedisConnection, _ keys: RedisKeys, of cluster: RedisCluster, age: Int) {
        self.age = age
        self.connection = connection
        self.keys = keys
        self.cluster = cluster
    }

    // MARK: - Actions

    package func append(_ batch: ClusterBatch) throws(ClusterFailure) {
        guard !batch.isEmpty else { return }
        try checkAge()
        let packing = ActionPacking(batch, partitions: partitions)
        let reply = try run(
            .append, keys: [keys.shape, keys.added] + packing.streams.map { keys.stream($0.partition) },
            arguments: 1 + packing.words
        ) { commands in
            commands.add(cluster.shape.text)
            packing.write(to: &commands)
        }
        try cluster.waitForReplicas(by: connection)
        cluster.confirmed.see(
            zip(packing.streams, reply.elements).map {
                (partition: $0.partition, offset: $1.offset ?? .start)
            })
    }

    // MARK: - Partitions

    package func checkpoint(_ checkpoints: [ClusterCheckpoint]) throws(ClusterFailure) -> [ClusterRoll.Title?]
    {
        try checkAge()
        let known = checkpoints.map { cluster.confirmed.epoch(of: $0.partition) }
        let replies = try connection.run(.checkpoint, checkpoints.map(call))
        try cluster.waitForReplicas(by: connection)
        var titles: [ClusterRoll.Title?] = []
        for (index, reply) in replies.enumerated() {
            let checkpoint = checkpoints[index]
            let answer = try telling { () throws(ClusterFailure) in try reply.checked() }
            let title = answer.text.map { RedisKeys.title($0) }
            if let title {
                try check(title, of: checkpoint.partition, notBelow: known[index])
            } else {
                cluster.confirmed.see(checkpoint: checkpoint.offset, of: checkpoint.partition)
            }
            titles.append(title)
        }
        return titles
    }

    /// Returns the call of the script that writes a checkpoint.
    private func call(for checkpoint: ClusterCheckpoint) -> RedisCall {
        let packing = checkpoint.packedOutputs(among: partitions)
        let title = ClusterRoll.Title(owner: checkpoint.member, epoch: checkpoint.epoch)
        let partition = checkpoint.partition
        let history = Int(cluster.history / .milliseconds(1))
        return RedisCall(
            keys: [
                keys.titles, keys.state(partition), keys.stream(partition), keys.dead, keys.added, keys.kept,
            ] + packing.streams.map { keys.stream($0.partition) },
            arguments: 10 + 2 * checkpoint.slices.count + checkpoint.gone.count + 7 * checkpoint.dead.count
                + packing.words
        ) { commands in
            commands.add(partition)
            commands.add(RedisKeys.text(title))
            commands.add(checkpoint.offset)
            commands.add(checkpoint.processed)
            commands.add(checkpoint.number)
            commands.add(checkpoint.slices.count)
            commands.add(checkpoint.gone.count)
            commands.add(checkpoint.dead.count)
            commands.add(checkpoint.base)
            commands.add(history)
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
            packing.write(to: &commands)
        }
    }

    package func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition
    {
        let known = cluster.confirmed.epoch(of: partition)
        let reply = try run(
            .acquire,
            keys: [
                keys.leases, keys.titles, keys.state(partition), keys.members, keys.kept, keys.added,
                keys.stream(partition),
            ], "\(partition)", member, "\(epoch)", cluster.confirmed.life(of: member) ?? "")
        guard reply.elements.first?.number == 1 else {
            let title = RedisKeys.title(reply.elements.last?.text ?? "")
            try check(title, of: partition, notBelow: known)
            return .refused(title)
        }
        try cluster.waitForReplicas(by: connection)
        let kept = reply.elements.last?.pairs ?? [:]
        var slices: [String: [UInt8]] = [:]
        for (name, value) in kept where name.hasPrefix("s:") {
            slices[String(name.dropFirst(2))] = value.data ?? []
        }
        let offset = kept["offset"]?.offset ?? .start
        cluster.confirmed.see(epoch: epoch + 1, of: partition)
        cluster.confirmed.see(checkpoint: offset, of: partition)
        return .granted(
            epoch: epoch + 1, offset: offset, slices: slices, attempts: kept["grants"]?.number ?? 1)
    }

    package func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure) {
        _ = try run(
            .release, keys: [keys.titles, keys.state(partition)], "\(partition)",
            RedisKeys.text(.init(owner: member, epoch: epoch)),
            RedisKeys.text(.init(owner: nil, epoch: epoch)))
    }

    package func attempt(_ partition: Int, at offset: ClusterOffset, of member: String, epoch: Int)
        throws(ClusterFailure)
        -> Int?
    {
        try run(
            .attempt, keys: [keys.titles, keys.state(partition)], "\(partition)",
            RedisKeys.text(.init(owner: member, epoch: epoch)), offset.description
        ).number
    }

    /// Checks that a title is not older than the one known before the server was asked.
    ///
    /// - Parameter isConfirmed: whether enough replicas have it, so that no failover takes it back.
    func check(
        _ title: ClusterRoll.Title, of partition: Int, notBelow known: Int, isConfirmed: Bool = false
    ) throws(ClusterFailure) {
        guard title.epoch >= known else {
            throw cluster.goneBack("epoch \(known) of partition \(partition)", "epoch \(title.epoch)")
        }
        if isConfirmed || cluster.replicas == 0 { cluster.confirmed.see(epoch: title.epoch, of: partition) }
    }

    /// Checks that no other connection was refused since this one was made: then this one must ask again, too.
    func checkAge() throws(ClusterFailure) {
        if cluster.age.load(ordering: .relaxed) != age { throw cluster.outdated }
    }

    // MARK: - Scripts

    /// Runs a script; throws its objection.
    func run(
        _ script: RedisScript, keys: [String], arguments: Int,
        _ write: (inout RedisCommands) -> Void
    ) throws(ClusterFailure) -> RedisReply {
        try telling { () throws(ClusterFailure) in
            try connection.run(script, keys: keys, arguments: arguments, write)
        }
    }

    /// Throws the objection of a script in the words of the cluster.
    private func telling(_ body: () throws(ClusterFailure) -> RedisReply) throws(ClusterFailure) -> RedisReply
    {
        do {
            return try body()
        } catch .refused(let reason) {
            throw refusal(reason)
        }
    }

    /// Interprets the objection of a script.
    private func refusal(_ reason: String) -> ClusterFailure {
        if reason.hasPrefix("SHAPE") { return cluster.misshapen(reason.dropFirst(6)) }
        if reason.hasPrefix("SUPERSEDED") {
            let other = RedisKeys.presence("", String(reason.dropFirst(11)))
            return .superseded("process \(other.process), life \(other.life)")
        }
        if reason.hasPrefix("GONE") { return cluster.vanished(reason.dropFirst(5)) }
        if reason.hasPrefix("BEHIND") {
            return .behind(reason.dropFirst(7))
        }
        return .refused(reason)
    }

    /// Runs a script with texts as arguments.
    func run(_ script: RedisScript, keys: [String], _ arguments: String...) throws(ClusterFailure)
        -> RedisReply
    {
        try run(script, keys: keys, arguments: arguments.count) { commands in
            for argument in arguments { commands.add(argument) }
        }
    }
}
