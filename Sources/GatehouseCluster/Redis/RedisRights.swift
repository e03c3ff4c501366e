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

    /// Checks that a connection's user has all rights to a cluster.
    ///
    /// - Throws: `denied`, with everything that it lacks.
    static func check(_ connection: RedisConnection, for keys: RedisKeys) throws(ClusterFailure) {
        let reply = try connection.run(.rights, keys: [keys.shape], arguments: commands.count) { words in
            for command in commands { words.add(command) }
        }
        // As words of ACL SETUSER.
        let missing = reply.elements.compactMap(\.text)
        guard !missing.isEmpty else { return }
        let access = connection.access
        throw .denied(
            "Redis does not let \(access.who) do what a member must; let its administrator run: ACL SETUSER \(access.address.user ?? "default") \(keys.pattern) \(missing.joined(separator: " "))"
        )
    }
}
