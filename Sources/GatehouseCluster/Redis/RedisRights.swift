// SPDX-License-Identifier: Apache-2.0

/// What the user of a member must be allowed to do in Redis: these commands, on all keys of the cluster.
///
/// Every connection asks for it first, because Redis does not undo what a script did before the command that it may not run.
enum RedisRights {
    /// The commands, and `client|id` for a part of one, in their order.
    static let commands = [
        "client|id", "client|unblock", "del", "eval", "evalsha", "exists", "get", "hdel", "hget", "hgetall",
        "hincrby", "hmget", "hset", "incr", "info", "rename", "sadd", "script|load", "set", "smembers",
        "srem",
        "time", "unlink", "xadd", "xdel", "xinfo|stream", "xlen", "xrange", "xread", "xrevrange", "xtrim",
        "zadd", "zrange", "zrangebyscore", "zrem", "zscore",
    ]

    /// What the user of a connection lacks for a cluster, as the words of `ACL SETUSER`; empty for nothing.
    static func missing(of connection: RedisConnection, for keys: RedisKeys) throws(ClusterFailure)
        -> [String]
    {
        let commands = commands
        let reply = try connection.run(.rights, keys: [keys.shape], arguments: commands.count) { words in
            for command in commands { words.add(command) }
        }
        return reply.elements.compactMap(\.text)
    }

    /// Looks whether the user of a connection may do everything.
    ///
    /// - Throws: `denied`, with everything that it lacks.
    static func check(_ connection: RedisConnection, for keys: RedisKeys) throws(ClusterFailure) {
        let missing = try missing(of: connection, for: keys)
        guard !missing.isEmpty else { return }
        let access = connection.access
        throw .denied(
            "Redis does not let \(access.who) do what a member must; let its administrator run: ACL SETUSER \(access.address.user ?? "default") \(keys.pattern) \(missing.joined(separator: " "))"
        )
    }
}
