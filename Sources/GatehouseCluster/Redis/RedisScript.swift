// SPDX-License-Identifier: Apache-2.0

/// A program that Redis runs as a whole, between all other commands.
struct RedisScript {
    /// The text, in Lua.
    let text: String

    /// The time of the server in milliseconds, for scripts that compare it.
    private static let now =
        "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000); "

    /// KEYS: leases, titles. ARGV: member, lease in milliseconds. Gives the live members, and the titles.
    static let renew = RedisScript(
        text: now + """
            redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
            redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
            return { redis.call('ZRANGE', KEYS[1], 0, -1), redis.call('HGETALL', KEYS[2]) }
            """)

    /// KEYS: leases, titles, partition. ARGV: number of the partition, member, epoch that it knows. Gives 1 and what the partition
    /// keeps, or 0 and its title.
    static let acquire = RedisScript(
        text: now + """
            local title = redis.call('HGET', KEYS[2], ARGV[1]) or '0 '
            local space = string.find(title, ' ', 1, true)
            local epoch, owner = tonumber(string.sub(title, 1, space - 1)), string.sub(title, space + 1)
            local function live(member)
                local ending = redis.call('ZSCORE', KEYS[1], member)
                return ending and tonumber(ending) > now
            end
            if epoch ~= tonumber(ARGV[3]) or not live(ARGV[2]) or (owner ~= '' and owner ~= ARGV[2] and live(owner)) then
                return { 0, title }
            end
            redis.call('HSET', KEYS[2], ARGV[1], (epoch + 1) .. ' ' .. ARGV[2])
            return { 1, redis.call('HGETALL', KEYS[3]) }
            """)

    /// KEYS: titles. ARGV: number of the partition, its title, its title without an owner.
    static let release = RedisScript(
        text: """
            if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
            return 1
            """)

    /// KEYS: titles, partition, one stream for each output. ARGV: number of the partition, its title, offset, how many slices, names and
    /// bytes of slices, origins and actions of outputs. Gives the title that stands against it, or 1.
    static let checkpoint = RedisScript(
        text: """
            local title = redis.call('HGET', KEYS[1], ARGV[1]) or '0 '
            if title ~= ARGV[2] then return title end
            local place = 5
            redis.call('HSET', KEYS[2], 'offset', ARGV[3])
            for _ = 1, ARGV[4] do
                redis.call('HSET', KEYS[2], 's:' .. ARGV[place], ARGV[place + 1])
                place = place + 2
            end
            for output = 3, #KEYS do
                redis.call('XADD', KEYS[output], '*', 'o', ARGV[place], 'a', ARGV[place + 1])
                place = place + 2
            end
            return 1
            """)

    /// The command that runs it.
    func command(keys: [String], _ arguments: [[UInt8]]) -> [[UInt8]] {
        [Array("EVAL".utf8), Array(text.utf8), Array(String(keys.count).utf8)] + keys.map { Array($0.utf8) }
            + arguments
    }
}
