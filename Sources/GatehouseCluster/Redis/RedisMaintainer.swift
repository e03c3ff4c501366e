// SPDX-License-Identifier: Apache-2.0

/// Changes a cluster in Redis.
///
/// The shape records a resize while it is in progress, and so blocks all scripts of members; all titles have another epoch from then on.
/// Data for the new shape has the token of the resize in its keys, until it replaces the old.
package final class RedisMaintainer: ClusterMaintainer {
    /// How to connect to the cluster.
    private let access: RedisAccess
    /// The cluster's name.
    private let name: String
    /// How long each answer may take.
    private let patience: Duration
    /// The connection.
    private let connection: RedisConnection
    /// The keys of the cluster.
    private let keys: RedisKeys
    /// The resize in progress; nil without one.
    private var resize: RedisResize?

    /// Connects.
    ///
    /// - Parameters:
    ///   - name: the name of the cluster.
    ///   - patience: how long connecting, and each answer, may take.
    package init(_ access: RedisAccess, name: String, patience: Duration) throws(ClusterFailure) {
        self.access = access
        self.name = name
        self.patience = patience
        keys = RedisKeys(cluster: name)
        connection = try RedisConnection(access, patience: patience)
        try connection.prepare(for: keys)
    }

    package func shape() throws(ClusterFailure) -> ClusterShape? {
        guard let text = try connection.ask("GET", keys.shape).text else { return nil }
        let (resize, halt) = (RedisResize(text), RedisHalt(text))
        guard let shape = halt?.shape ?? resize?.old ?? RedisShape(text) else {
            throw .refused("\(keys.shape) is \"\(RedisReply.shown(text))\" there, which no host wrote")
        }
        let isOld = shape.form < RedisShape.currentForm
        if let objection = shape.objection, !isOld {
            throw .refused("the cluster '\(name)' at \(access.address) \(objection)")
        }
        return ClusterShape(
            partitions: shape.partitions, resizing: resize?.new.partitions, halted: halt?.reason,
            isOld: isOld,
            text: text)
    }

    package func engine(of shape: ClusterShape) throws(ClusterFailure) -> any ClusterEngine {
        try RedisCluster(access, name: name, partitions: shape.partitions, patience: patience).connect()
    }

    // MARK: - Checkpoints

    package func checkpoint(of partition: Int) throws(ClusterFailure) -> (
        offset: ClusterOffset, slices: [String: [UInt8]]
    ) {
        let kept = try kept(in: keys.state(partition))
        return (kept.offset ?? .start, kept.slices)
    }

    package func earlierCheckpoints(of partition: Int) throws(ClusterFailure) -> [ClusterOffset] {
        let text = try connection.ask("HGET", keys.state(partition), "earlier").text ?? ""
        return text.split(separator: " ").compactMap { ClusterOffset($0) }
    }

    package func earlierCheckpoint(of partition: Int, at offset: ClusterOffset) throws(ClusterFailure)
        -> [String: [UInt8]]?
    {
        let kept = try kept(in: keys.state(partition, at: offset))
        return kept.offset == nil ? nil : kept.slices
    }

    /// Reads the hash of a checkpoint; without an offset where there is none.
    private func kept(in key: String) throws(ClusterFailure) -> (
        offset: ClusterOffset?, slices: [String: [UInt8]]
    ) {
        let kept = try connection.ask("HGETALL", key).pairs
        var slices: [String: [UInt8]] = [:]
        for (name, value) in kept where name.hasPrefix("s:") {
            slices[String(name.dropFirst(2))] = value.data ?? []
        }
        return (kept["offset"]?.offset, slices)
    }

    // MARK: - Dead letters

    package func redispatch(_ letter: ClusterDeadLetter, to partition: Int, in shape: ClusterShape)
        throws(ClusterFailure)
        -> Bool
    {
        for id in try ids(of: letter) {
            let answer = try run(
                """
                if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('SHAPE changed') end
                if redis.call('XDEL', KEYS[2], ARGV[2]) == 0 then return 0 end
                redis.call('XADD', KEYS[3], '*', 'a', ARGV[3])
                redis.call('HINCRBY', KEYS[4], ARGV[4], 1)
                return 1
                """,
                keys: [keys.shape, keys.dead, keys.stream(partition), keys.added],
                [Array(shape.text.utf8), Array(id.utf8), letter.action, Array("\(partition)".utf8)],
                isLarge: true)
            if answer.number == 1 { return true }
        }
        return false
    }

    package func remove(_ letter: ClusterDeadLetter) throws(ClusterFailure) -> Bool {
        var count = 0
        for id in try ids(of: letter) { count += try connection.ask("XDEL", keys.dead, id).number ?? 0 }
        return count > 0
    }

    /// Returns the ids of a dead letter; there are two when its writer did not learn that it was written.
    private func ids(of letter: ClusterDeadLetter) throws(ClusterFailure) -> [String] {
        var (found, first): ([String], String) = ([], "-")
        while true {
            let page = try connection.ask("XRANGE", keys.dead, first, "+", "COUNT", "1000").elements
            found += page.compactMap { entry in
                let fields = entry.elements.last?.pairs ?? [:]
                let isIt =
                    fields["partition"]?.number == letter.partition
                    && fields["offset"]?.offset == letter.offset
                return isIt ? entry.elements.first?.text : nil
            }
            guard page.count == 1_000, let id = page.last?.elements.first?.offset else { return found }
            first = "(\(id)"
        }
    }

    // MARK: - A halted cluster

    package func missing() throws(ClusterFailure) -> [(member: String, what: String)] {
        try connection.ask("HGETALL", keys.missing).pairs.sorted { $0.key < $1.key }.flatMap { member, text in
            (text.text ?? "").split(separator: "\n").map { (member, String($0)) }
        }
    }

    package func resume(_ shape: ClusterShape) throws(ClusterFailure) {
        guard let halt = RedisHalt(shape.text) else { return }
        _ = try run(
            """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('SHAPE changed') end
            for partition = 0, ARGV[4] - 1 do
                local stream, state = ARGV[3] .. ':in:' .. partition, ARGV[3] .. ':state:' .. partition
                local offset, added = redis.call('HGET', state, 'offset'), redis.call('HGET', KEYS[3], partition)
                if offset then redis.call('HSET', KEYS[4], partition, offset) else redis.call('HDEL', KEYS[4], partition) end
                if (offset or added) and redis.call('EXISTS', stream) == 0 then
                    redis.call('XDEL', stream, redis.call('XADD', stream, '*', 'a', ''))
                    redis.call('HSET', KEYS[3], partition, redis.call('HGET', state, 'processed') or '0')
                elseif not added and offset then
                    redis.call('HSET', KEYS[3], partition, redis.call('HGET', state, 'processed') or '0')
                elseif added and not offset then
                    redis.call('HSET', state, 'processed', math.max(0, added - redis.call('XLEN', stream)))
                end
            end
            local eras = redis.call('GET', KEYS[5])
            redis.call('SET', KEYS[5], (eras and eras .. ' ' or '') .. ARGV[5])
            redis.call('UNLINK', KEYS[2])
            redis.call('SET', KEYS[1], ARGV[2])
            return 1
            """,
            keys: [keys.shape, keys.missing, keys.added, keys.kept, keys.eras],
            [
                shape.text, halt.shape.text, keys.prefix, "\(halt.shape.partitions)",
                String(UInt64.random(in: .min ... .max), radix: 36),
            ].map { Array($0.utf8) })
    }

    // MARK: - Another number of partitions

    package func beginResize(of shape: ClusterShape, to partitions: Int) throws(ClusterFailure) -> [String] {
        guard let old = RedisResize(shape.text)?.old ?? RedisShape(shape.text) else { return [] }
        var resize = RedisResize(from: old, to: RedisShape(partitions: partitions))
        let answer = try run(
            """
            local shape = redis.call('GET', KEYS[1])
            if shape ~= ARGV[1] then return redis.error_reply('SHAPE changed') end
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local live = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf')
            if #live > 0 then return live end
            local highest = 0
            for partition = 0, ARGV[3] - 1 do
                local title = redis.call('HGET', KEYS[3], partition) or '0 '
                local epoch = tonumber(string.sub(title, 1, string.find(title, ' ', 1, true) - 1)) + 1
                redis.call('HSET', KEYS[3], partition, epoch .. ' ')
                if epoch > highest then highest = epoch end
            end
            redis.call('SET', KEYS[1], ARGV[2])
            return highest
            """,
            keys: [keys.shape, keys.leases, keys.titles],
            [shape.text, resize.text, "\(shape.partitions)"].map { Array($0.utf8) })
        guard let epoch = answer.number else { return answer.elements.compactMap(\.text).sorted() }
        resize.epoch = epoch
        self.resize = resize
        if let before = RedisResize(shape.text) { try sweep(before) }
        return []
    }

    package func write(_ slices: [String: [UInt8]], to partition: Int) throws(ClusterFailure) {
        guard let resize, !slices.isEmpty else { return }
        let key = newKeys(resize).state(partition)
        connection.send { commands in
            commands.begin(words: 2 + 2 * slices.count)
            commands.add("HSET")
            commands.add(key)
            for (name, bytes) in slices {
                commands.add("s:" + name)
                commands.add(bytes)
            }
        }
        _ = try connection.receive().checked()
    }

    package func append(_ batch: ClusterBatch) throws(ClusterFailure) {
        guard let resize, !batch.isEmpty else { return }
        let new = newKeys(resize)
        let packing = ActionPacking(batch, partitions: resize.new.partitions)
        try refusingChange { () throws(ClusterFailure) in
            _ = try connection.run(
                .append, keys: [keys.shape, new.added] + packing.streams.map { new.stream($0.partition) },
                arguments: 1 + packing.words
            ) { commands in
                commands.add(resize.text)
                packing.write(to: &commands)
            }
        }
    }

    package func finishResize(above epoch: Int) throws(ClusterFailure) {
        guard let resize else { return }
        _ = try run(
            """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('SHAPE changed') end
            for partition = 0, ARGV[4] - 1 do
                local state = ARGV[2] .. ':state:' .. partition
                for offset in string.gmatch(redis.call('HGET', state, 'earlier') or '', '%S+') do
                    redis.call('UNLINK', state .. ':at:' .. offset)
                end
                redis.call('UNLINK', ARGV[2] .. ':in:' .. partition, state)
            end
            redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[5])
            if redis.call('EXISTS', KEYS[4]) == 1 then redis.call('RENAME', KEYS[4], KEYS[3]) end
            for partition = 0, ARGV[5] - 1 do
                for _, kind in ipairs({ ':in:', ':state:' }) do
                    local from = ARGV[3] .. kind .. partition
                    if redis.call('EXISTS', from) == 1 then redis.call('RENAME', from, ARGV[2] .. kind .. partition) end
                end
                redis.call('HSET', KEYS[2], partition, ARGV[6] .. ' ')
            end
            redis.call('SET', KEYS[1], ARGV[7])
            local eras = redis.call('GET', KEYS[6])
            redis.call('SET', KEYS[6], (eras and eras .. ' ' or '') .. ARGV[8])
            return 1
            """,
            keys: [keys.shape, keys.titles, keys.added, newKeys(resize).added, keys.kept, keys.eras],
            [
                resize.text, keys.prefix, newKeys(resize).prefix, "\(resize.old.partitions)",
                "\(resize.new.partitions)", "\(max(resize.epoch, epoch))", resize.new.text, resize.token,
            ].map { Array($0.utf8) })
        self.resize = nil
    }

    package func abandonResize() throws(ClusterFailure) {
        guard let resize else { return }
        try sweep(resize)
        _ = try run(
            """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('SHAPE changed') end
            redis.call('SET', KEYS[1], ARGV[2])
            return 1
            """, keys: [keys.shape], [Array(resize.text.utf8), Array(resize.old.text.utf8)])
        self.resize = nil
    }

    /// Returns the keys of a new shape.
    private func newKeys(_ resize: RedisResize) -> RedisKeys {
        RedisKeys(prefix: "\(keys.prefix):new:\(resize.token)")
    }

    /// Removes the data that a resize has written.
    private func sweep(_ resize: RedisResize) throws(ClusterFailure) {
        let new = newKeys(resize)
        connection.send("UNLINK", new.added)
        for partition in 0..<resize.new.partitions {
            connection.send("UNLINK", new.stream(partition), new.state(partition))
        }
        for _ in 0...resize.new.partitions { _ = try connection.receive() }
    }

    /// Runs a script.
    ///
    /// - Parameter isLarge: whether to refuse it when there is no room.
    private func run(_ script: String, keys: [String], _ arguments: [[UInt8]], isLarge: Bool = false)
        throws(ClusterFailure) -> RedisReply
    {
        connection.send { commands in
            commands.begin(words: 3 + keys.count + arguments.count)
            commands.add("EVAL")
            commands.add("#!lua\(isLarge ? "" : " flags=allow-oom")\n" + script)
            commands.add(keys.count)
            for key in keys { commands.add(key) }
            for argument in arguments { commands.add(argument) }
        }
        return try refusingChange { () throws(ClusterFailure) in try connection.receive().checked() }
    }

    /// Reports a script refused because of the shape as a resize that another one has replaced.
    private func refusingChange<Result>(_ body: () throws(ClusterFailure) -> Result) throws(ClusterFailure)
        -> Result
    {
        do {
            return try body()
        } catch .refused(let reason) where reason.hasPrefix("SHAPE") {
            throw .refused("another resize was started meanwhile; this one changed nothing")
        }
    }
}
