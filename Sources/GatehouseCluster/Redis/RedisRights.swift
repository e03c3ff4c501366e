// SPDX-License-Identifier: Apache-2.0

/// The rights that a member's user needs in Redis: these commands, on all keys of the cluster.
///
/// Every connection checks them first, because Redis does not undo what a script did before a forbidden command.
enum RedisRights {
    /// The commands, with `client|id` for a part of one, in order.
    static let commands = [
        "client|id", "client|unblock", "del", "eval", "evalsha", "exists", "get", "hdel", "hget", "hgetall",
        "hincrby", "hmget", "hset", "incr", "info", "rename", "sadd", "script|load", "set", "smembers",
        "srem",
        "time", "unlink", "xadd", "xdel", "xinfo|stream", "xlen", "xrange", "xread", "xrevrange", "xtrim",
        "zadd", "zrange", "zrangebyscore", "zrem", "zscore",
    ]

    /// Returns the rights that a connection's user lacks for a cluster, as words of `ACL SETUSER`; empty for none.
    static func missing(of connection: RedisConnection, for keys: RedisKeys) throws(ClusterFailure)
        -> [String]
    {
        let commands = commands
        let reply = try connection.run(.rights, keys: [keys.shape], arguments: commands.count) { words in
            for command in commands { words.add(command) }
        }
        return reply.elements.compactMap(\.text)
    }

    /// Checks that a connection's user has all rights.
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
