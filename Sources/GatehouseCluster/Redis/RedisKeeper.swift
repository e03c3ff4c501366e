// SPDX-License-Identifier: Apache-2.0

/// Changes a cluster in Redis.
///
/// The shape is what every script of a member compares. While a resize is under way it says so, `64>128 TOKEN`, and so refuses them all;
/// all titles have another epoch from then on. What is written for the new shape has the token in its keys, until it takes the place of
/// the old.
public final class RedisKeeper: ClusterKeeper {
    /// How one comes to the cluster.
    private let access: RedisAccess
    /// Its name.
    private let name: String
    /// How long each answer may take.
    private let patience: Duration
    /// The connection.
    private let connection: RedisConnection
    /// The keys of the cluster.
    private let keys: RedisKeys
    /// The resize that is under way; nil without one.
    private var resize: Resize?

    /// A resize.
    private struct Resize {
        /// The shape before.
        let old: Int
        /// The shape to be.
        let new: Int
        /// Tells it from all others.
        let token: String
        /// The highest epoch of the titles.
        var epoch = 0

        /// How it stands in the place of the shape.
        var text: String { "\(old)>\(new) \(token)" }

        /// A resize of its parts.
        init(from old: Int, to new: Int, token: String) {
            self.old = old
            self.new = new
            self.token = token
        }

        /// Reads what stands in the place of the shape; nil for a shape.
        init?(_ text: String) {
            let parts = text.split(whereSeparator: { $0 == ">" || $0 == " " })
            guard parts.count == 3, let old = Int(parts[0]), let new = Int(parts[1]) else { return nil }
            self.init(from: old, to: new, token: String(parts[2]))
        }
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - name: of the cluster.
    ///   - patience: how long connecting, and each answer, may take.
    public init(_ access: RedisAccess, name: String, patience: Duration) throws(ClusterFailure) {
        self.access = access
        self.name = name
        self.patience = patience
        keys = RedisKeys(cluster: name)
        connection = try RedisConnection(access, patience: patience)
        try connection.prepare(for: keys)
    }

    public func shape() throws(ClusterFailure) -> ClusterShape? {
        guard let text = try connection.ask("GET", keys.shape).text else { return nil }
        if let resize = Resize(text) {
            return ClusterShape(partitions: resize.old, resizing: resize.new, text: text)
        }
        guard let partitions = Int(text), partitions > 0 else {
            throw .refused("\(keys.shape) is \"\(text)\" there, which no host has written")
        }
        return ClusterShape(partitions: partitions, text: text)
    }

    public func engine(of shape: ClusterShape) throws(ClusterFailure) -> any ClusterEngine {
        try RedisCluster(access, name: name, partitions: shape.partitions, patience: patience).connect()
    }

    // MARK: - Dead letters

    public func redispatch(_ letter: ClusterDeadLetter, to partition: Int, in shape: ClusterShape)
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

    public func remove(_ letter: ClusterDeadLetter) throws(ClusterFailure) -> Bool {
        var count = 0
        for id in try ids(of: letter) { count += try connection.ask("XDEL", keys.dead, id).number ?? 0 }
        return count > 0
    }

    /// Where a letter stands among the dead letters; it is there twice when whoever set it aside did not hear that it was written.
    private func ids(of letter: ClusterDeadLetter) throws(ClusterFailure) -> [String] {
        try connection.ask("XRANGE", keys.dead, "-", "+").elements.compactMap { entry in
            let fields = entry.elements.last?.pairs ?? [:]
            let isIt =
                fields["partition"]?.number == letter.partition && fields["offset"]?.offset == letter.offset
            return isIt ? entry.elements.first?.text : nil
        }
    }

    // MARK: - Another number of partitions

    public func beginResize(of shape: ClusterShape, to partitions: Int) throws(ClusterFailure) -> [String] {
        var resize = Resize(
            from: shape.partitions, to: partitions,
            token: String(UInt64.random(in: .min ... .max), radix: 36))
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
        if let before = Resize(shape.text) { try sweep(before) }
        return []
    }

    public func checkpoint(of partition: Int) throws(ClusterFailure) -> (
        offset: ClusterOffset, slices: [String: [UInt8]]
    ) {
        let kept = try connection.ask("HGETALL", keys.state(partition)).pairs
        var slices: [String: [UInt8]] = [:]
        for (name, value) in kept where name.hasPrefix("s:") {
            slices[String(name.dropFirst(2))] = value.data ?? []
        }
        return (kept["offset"]?.offset ?? .start, slices)
    }

    public func write(_ slices: [String: [UInt8]], to partition: Int) throws(ClusterFailure) {
        guard let resize, !slices.isEmpty else { return }
        let key = newKeys(resize).state(partition)
        try connection.send { commands in
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

    public func append(_ actions: [(partition: Int, action: [UInt8])]) throws(ClusterFailure) {
        guard let resize, !actions.isEmpty else { return }
        let new = newKeys(resize)
        try connection.send(actions.count) { commands in
            for (partition, action) in actions {
                commands.begin(words: 5)
                commands.add("XADD")
                commands.add(new.stream(partition))
                commands.add("*")
                commands.add("a")
                commands.add(action)
            }
        }
        var failure: ClusterFailure?
        for _ in actions {
            do throws(ClusterFailure) {
                _ = try connection.receive().checked()
            } catch {
                // A connection that is lost has no more answers.
                if case .lost = error { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    public func finishResize() throws(ClusterFailure) {
        guard let resize else { return }
        _ = try run(
            """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('SHAPE changed') end
            for partition = 0, ARGV[4] - 1 do
                redis.call('UNLINK', ARGV[2] .. ':in:' .. partition, ARGV[2] .. ':state:' .. partition)
            end
            redis.call('UNLINK', KEYS[2], KEYS[3])
            for partition = 0, ARGV[5] - 1 do
                for _, kind in ipairs({ ':in:', ':state:' }) do
                    local from = ARGV[3] .. kind .. partition
                    if redis.call('EXISTS', from) == 1 then redis.call('RENAME', from, ARGV[2] .. kind .. partition) end
                end
                redis.call('HSET', KEYS[2], partition, ARGV[6] .. ' ')
                redis.call('HSET', KEYS[3], partition, redis.call('XLEN', ARGV[2] .. ':in:' .. partition))
            end
            redis.call('SET', KEYS[1], ARGV[5])
            return 1
            """,
            keys: [keys.shape, keys.titles, keys.added],
            [
                resize.text, keys.prefix, newKeys(resize).prefix, "\(resize.old)", "\(resize.new)",
                "\(resize.epoch)",
            ].map { Array($0.utf8) })
        self.resize = nil
    }

    public func abandonResize() throws(ClusterFailure) {
        guard let resize else { return }
        try sweep(resize)
        _ = try run(
            """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.error_reply('SHAPE changed') end
            redis.call('SET', KEYS[1], ARGV[2])
            return 1
            """, keys: [keys.shape], [Array(resize.text.utf8), Array("\(resize.old)".utf8)])
        self.resize = nil
    }

    /// The keys of a shape to be.
    private func newKeys(_ resize: Resize) -> RedisKeys {
        RedisKeys(prefix: "\(keys.prefix):new:\(resize.token)")
    }

    /// Removes what a resize has written.
    private func sweep(_ resize: Resize) throws(ClusterFailure) {
        let new = newKeys(resize)
        for partition in 0..<resize.new {
            try connection.send("UNLINK", new.stream(partition), new.state(partition))
        }
        for _ in 0..<resize.new { _ = try connection.receive() }
    }

    /// Runs a script.
    ///
    /// - Parameter isLarge: whether it is refused when there is no room.
    private func run(_ script: String, keys: [String], _ arguments: [[UInt8]], isLarge: Bool = false)
        throws(ClusterFailure) -> RedisReply
    {
        try connection.send { commands in
            commands.begin(words: 3 + keys.count + arguments.count)
            commands.add("EVAL")
            commands.add("#!lua\(isLarge ? "" : " flags=allow-oom")\n" + script)
            commands.add(keys.count)
            for key in keys { commands.add(key) }
            for argument in arguments { commands.add(argument) }
        }
        do {
            return try connection.receive().checked()
        } catch .refused(let reason) where reason.hasPrefix("SHAPE") {
            throw .refused("another resize was begun meanwhile; nothing was changed by this one")
        }
    }
}
