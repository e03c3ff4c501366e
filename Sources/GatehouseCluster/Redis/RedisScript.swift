// SPDX-License-Identifier: Apache-2.0

/// A program that Redis runs atomically, between all other commands.
///
/// All except ``append`` run even when there is no room, since what they write makes room, or is small.
enum RedisScript: CaseIterable {
    /// Appends actions to streams.
    case append
    /// Writes a checkpoint.
    case checkpoint
    /// Gives a partition to a member.
    case acquire
    /// Releases a partition.
    case release
    /// Renews a member's lease, and returns the roll.
    case renew
    /// Registers a life, and creates the cluster if it does not exist.
    case join
    /// Removes a member.
    case leave
    /// Counts a try of an action.
    case attempt
    /// Drains a member, or undoes that.
    case drain
    /// Gives the turn to a member, if no other has it.
    case takeTurn
    /// Takes the turn back.
    case endTurn
    /// Asks all members to reload.
    case requestReload
    /// Halts the cluster.
    case halt
    /// Returns the commands that the connection's user may not run.
    case rights

    /// The text, in Lua.
    var text: String {
        let flags = self == .append ? "" : " flags=allow-oom"
        return "#!lua\(flags)\nlocal call, KEYS, ARGV = redis.call, KEYS, ARGV\n" + body
    }

    /// Ends a script when the cluster does not exist or has another shape.
    private static let shape = """
        local shape = call('GET', KEYS[1])
        if shape ~= ARGV[1] then return redis.error_reply('SHAPE ' .. (shape or '')) end

        """

    /// Ends a script when another process has the member's name; takes these numbers of KEYS and ARGV.
    private static func life(key: Int, life: Int, member: Int) -> String {
        """
        local there, life = call('HGET', KEYS[\(key)], ARGV[\(member)]), ARGV[\(life)]
        if there and life ~= '' and string.sub(there, 1, #life + 1) ~= life .. ' ' then
            return redis.error_reply('SUPERSEDED ' .. there)
        end

        """
    }

    /// Adds the entries of `ActionPacking`, whose words begin at `at` in ARGV, to the streams from `stream` on in KEYS; counts their actions
    /// in a hash.
    private static func add(counted key: Int) -> String {
        """
        local last, streams = {}, tonumber(ARGV[at])
        local entry = at + 1 + 3 * streams
        for place = 1, streams do
            local key, id, row = KEYS[stream + place - 1], nil, at + 1 + 3 * (place - 1)
            for _ = 1, ARGV[row + 1] do
                id = call('XADD', key, '*', ARGV[entry], ARGV[entry + 1], 'o', ARGV[entry + 2])
                entry = entry + 3
            end
            call('HINCRBY', KEYS[\(key)], ARGV[row], ARGV[row + 2])
            last[place] = id
        end

        """
    }

    /// Ends a script, before it writes anything, when a stream has vanished to which the packed actions at `at` in ARGV go.
    private static func streams(counted key: Int) -> String {
        """
        for place = 1, ARGV[at] do
            local number = ARGV[at + 1 + 3 * (place - 1)]
            if call('EXISTS', KEYS[stream + place - 1]) == 0 and call('HGET', KEYS[\(key)], number) then
                return redis.error_reply('GONE ' .. number .. ' actions - -')
            end
        end

        """
    }

    /// Compares offsets.
    private static let isBefore = """
        local function isBefore(one, other)
            local function numbers(offset)
                local high, low, place = string.match(offset, '(%d+)-(%d+)%.?(%d*)')
                return tonumber(high), tonumber(low), tonumber(place) or math.huge
            end
            local high, low, place = numbers(one)
            local otherHigh, otherLow, otherPlace = numbers(other)
            return high < otherHigh or high == otherHigh and (low < otherLow or low == otherLow and place < otherPlace)
        end

        """

    /// Keeps the checkpoint before as an earlier one where that is due, so that the state after each action of the history can be rebuilt:
    /// two of them are half of the history apart at least. Removes those that are too old, and moves `first`, the first entry that
    /// stays, to the oldest one that is left. The names of these are in the state, separated by spaces.
    private static let past = """
        local history, earlier, count = tonumber(ARGV[10]), {}, 0
        local function name(offset) return KEYS[2] .. ':at:' .. offset end
        local function time(offset) return tonumber(string.match(offset, '%d+')) end
        for offset in string.gmatch(call('HGET', KEYS[2], 'earlier') or '', '%S+') do
            count = count + 1
            -- A cluster that continues with older data has another future.
            if isBefore(offset, kept) then earlier[#earlier + 1] = offset else call('UNLINK', name(offset)) end
        end
        if history > 0 and (#earlier == 0 or time(earlier[#earlier]) + history / 2 <= time(kept)) then
            local all = call('HGETALL', KEYS[2])
            call('HSET', name(kept), 'offset', kept)
            for at = 1, #all, 1000 do call('HSET', name(kept), unpack(all, at, math.min(at + 999, #all))) end
            earlier[#earlier + 1] = kept
        end
        while #earlier > 0 and (history == 0 or #earlier > 1 and time(earlier[2]) <= now - history) do
            call('UNLINK', name(table.remove(earlier, 1)))
        end
        if #earlier > 0 then
            call('HSET', KEYS[2], 'earlier', table.concat(earlier, ' '))
            local aged = string.format('%.0f-0', now - history)
            local oldest = string.gsub(earlier[1], '%..*', '')
            if isBefore(aged, first) then first = aged end
            if isBefore(oldest, first) then first = oldest end
        elseif count > 0 then
            call('HDEL', KEYS[2], 'earlier')
        end

        """

    /// The time of the server in milliseconds.
    private static let now = """
        local time = call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)

        """

    /// The text after its head.
    private var body: String {
        switch self {
        case .append:
            // KEYS: shape, numbers of actions added, streams. ARGV: shape, packed actions. Returns the last id of each stream.
            Self.shape + "local at, stream = 2, 3\n" + Self.streams(counted: 2) + Self.add(counted: 2)
                + "return last"
        case .checkpoint:
            // KEYS: titles, state, stream, dead letters, numbers of actions added, offsets, streams of outputs. ARGV: number of the
            // partition, its title, offset, number of actions processed, number of the checkpoint, numbers of slices, gone ones and dead
            // letters, offset of the checkpoint before, how many milliseconds processed actions stay; names and bytes of slices; names of gone ones; texts of dead letters, seven each; outputs, packed. Returns the conflicting title,
            // or 1. Actions appended by hand were never counted; processing counts them as added.
            Self.now + Self.isBefore + """
                local title = call('HGET', KEYS[1], ARGV[1]) or '0 '
                if title ~= ARGV[2] then return title end
                local kept = call('HGET', KEYS[2], 'offset') or '0-0'
                if ARGV[5] ~= '0' then
                    local last = tonumber(call('HGET', KEYS[2], 'number') or '0')
                    if tonumber(ARGV[5]) == last then
                        -- Redis lets WAIT wait for what the connection has written.
                        call('HSET', KEYS[2], 'number', ARGV[5])
                        return 1
                    end
                    if tonumber(ARGV[5]) < last then return redis.error_reply('BEHIND ' .. kept) end
                end
                if isBefore(kept, ARGV[9]) then
                    return redis.error_reply('GONE ' .. ARGV[1] .. ' checkpoint ' .. ARGV[9] .. ' ' .. kept)
                end
                local added = call('HGET', KEYS[5], ARGV[1])
                if not added and tonumber(call('HGET', KEYS[2], 'processed') or '0') > 0
                    or added and call('EXISTS', KEYS[3]) == 0 then
                    return redis.error_reply('GONE ' .. ARGV[1] .. ' actions - -')
                end
                local at, stream = 11 + 2 * ARGV[6] + ARGV[7] + 7 * ARGV[8], 7

                """ + Self.streams(counted: 5) + """
                    if kept ~= ARGV[3] then
                        if isBefore(ARGV[3], kept) then return redis.error_reply('BEHIND ' .. kept) end
                        local processed = call('HINCRBY', KEYS[2], 'processed', ARGV[4])
                        if processed > tonumber(call('HGET', KEYS[5], ARGV[1]) or '0') then
                            call('HSET', KEYS[5], ARGV[1], processed)
                        end
                        local first = string.gsub(kept, '%..*', '')

                    """ + Self.past + """
                        call('XTRIM', KEYS[3], 'MINID', '=', first)
                    end
                    call('HSET', KEYS[2], 'offset', ARGV[3], 'time', now, 'number', ARGV[5])
                    call('HSET', KEYS[6], ARGV[1], ARGV[3])
                    call('HDEL', KEYS[2], 'grants', 'try', 'tries')
                    at = 11
                    for _ = 1, ARGV[6] do
                        call('HSET', KEYS[2], 's:' .. ARGV[at], ARGV[at + 1])
                        at = at + 2
                    end
                    for _ = 1, ARGV[7] do
                        call('HDEL', KEYS[2], 's:' .. ARGV[at])
                        at = at + 1
                    end
                    for _ = 1, ARGV[8] do
                        call('XADD', KEYS[4], '*', 'partition', ARGV[at], 'offset', ARGV[at + 1], 'o', ARGV[at + 2], 'a', ARGV[at + 3],
                            'reason', ARGV[at + 4], 'member', ARGV[at + 5], 'time', ARGV[at + 6])
                        at = at + 7
                    end

                    """ + Self.add(counted: 5) + "return 1"
        case .acquire:
            // KEYS: leases, titles, state, members, offsets, numbers of actions added, stream. ARGV: number of the partition, member,
            // epoch that it knows, its life or nothing. Returns 1 and what the partition keeps, or 0 and its title.
            Self.now + Self.isBefore + Self.life(key: 4, life: 4, member: 2) + """
                local title = call('HGET', KEYS[2], ARGV[1]) or '0 '
                local space = string.find(title, ' ', 1, true)
                local epoch, owner = tonumber(string.sub(title, 1, space - 1)), string.sub(title, space + 1)
                local function live(member)
                    local ending = call('ZSCORE', KEYS[1], member)
                    return ending and tonumber(ending) > now
                end
                if epoch ~= tonumber(ARGV[3]) or not live(ARGV[2]) or (owner ~= '' and owner ~= ARGV[2] and live(owner)) then
                    return { 0, title }
                end
                local kept, offset = call('HGET', KEYS[5], ARGV[1]) or '0-0', call('HGET', KEYS[3], 'offset') or '0-0'
                if isBefore(offset, kept) then
                    return redis.error_reply('GONE ' .. ARGV[1] .. ' checkpoint ' .. kept .. ' ' .. offset)
                end
                if call('EXISTS', KEYS[7]) == 0 and call('HGET', KEYS[6], ARGV[1]) then
                    return redis.error_reply('GONE ' .. ARGV[1] .. ' actions - -')
                end
                call('HSET', KEYS[2], ARGV[1], (epoch + 1) .. ' ' .. ARGV[2])
                call('HINCRBY', KEYS[3], 'grants', 1)
                call('HDEL', KEYS[3], 'number')
                return { 1, call('HGETALL', KEYS[3]) }
                """
        case .release:
            // KEYS: titles, state. ARGV: number of the partition, its title, its title without an owner.
            """
            if call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
                call('HSET', KEYS[1], ARGV[1], ARGV[3])
                call('HDEL', KEYS[2], 'grants')
            end
            return 1
            """
        case .renew:
            // KEYS: shape, leases, titles, members, draining, reload. ARGV: shape, member, life, presence, lease in milliseconds. Returns
            // live members, titles, members, draining ones and the number of the last request to reload. Members absent for a day are
            // removed.
            Self.shape + Self.now + Self.life(key: 4, life: 3, member: 2) + """
                if there ~= ARGV[4] then call('HSET', KEYS[4], ARGV[2], ARGV[4]) end
                call('ZADD', KEYS[2], now + ARGV[5], ARGV[2])
                -- No lease is longer than a minute: the clock was set back, and they would not end before it is where it was.
                for _, member in ipairs(call('ZRANGEBYSCORE', KEYS[2], '(' .. now + 60000, '+inf')) do
                    call('ZADD', KEYS[2], now + ARGV[5], member)
                end
                for _, member in ipairs(call('ZRANGEBYSCORE', KEYS[2], '-inf', now - 86400000)) do
                    call('HDEL', KEYS[4], member)
                    call('ZREM', KEYS[2], member)
                end
                return { call('ZRANGEBYSCORE', KEYS[2], '(' .. now, '+inf'), call('HGETALL', KEYS[3]), call('HGETALL', KEYS[4]),
                    call('SMEMBERS', KEYS[5]), call('GET', KEYS[6]) or '0' }
                """
        case .join:
            // KEYS: shape, members, eras. ARGV: shape, member, presence, 1 if the cluster may be created, its first era. Returns the eras.
            """
            local shape = call('GET', KEYS[1])
            if not shape and ARGV[4] == '1' then
                call('SET', KEYS[1], ARGV[1])
            elseif shape ~= ARGV[1] then
                return redis.error_reply('SHAPE ' .. (shape or ''))
            end
            call('HSET', KEYS[2], ARGV[2], ARGV[3])
            if not call('GET', KEYS[3]) then call('SET', KEYS[3], ARGV[5]) end
            return call('GET', KEYS[3])
            """
        case .halt:
            // KEYS: shape, titles, missing, eras. ARGV: shape, shape of the halt, number of partitions, member, what it misses, era that it
            // knows. Returns 1 if the cluster is halted; one of other eras is left alone. All titles have another epoch afterwards, which
            // fences every owner.
            """
            local shape, eras = call('GET', KEYS[1]), call('GET', KEYS[4])
            if shape and eras and ARGV[6] ~= '' and not string.find(' ' .. eras .. ' ', ' ' .. ARGV[6] .. ' ', 1, true) then
                return 0
            end
            if not shape or shape == ARGV[1] then
                for partition = 0, ARGV[3] - 1 do
                    local title = call('HGET', KEYS[2], partition) or '0 '
                    local epoch = tonumber(string.sub(title, 1, string.find(title, ' ', 1, true) - 1)) + 1
                    call('HSET', KEYS[2], partition, epoch .. ' ')
                end
                call('SET', KEYS[1], ARGV[2])
                if ARGV[6] ~= '' and not eras then call('SET', KEYS[4], ARGV[6]) end
                shape = ARGV[2]
            end
            if string.sub(shape, 1, #ARGV[1] + 1) ~= ARGV[1] .. '!' then return 0 end
            call('HSET', KEYS[3], ARGV[4], ARGV[5])
            return 1
            """
        case .leave:
            // KEYS: members, leases, turn. ARGV: member, life.
            """
            local there = call('HGET', KEYS[1], ARGV[1])
            if there and string.sub(there, 1, #ARGV[2] + 1) == ARGV[2] .. ' ' then
                call('HDEL', KEYS[1], ARGV[1])
                call('ZREM', KEYS[2], ARGV[1])
                if call('GET', KEYS[3]) == ARGV[1] then call('DEL', KEYS[3]) end
            end
            return 1
            """
        case .attempt:
            // KEYS: titles, state. ARGV: number of the partition, its title, offset. Returns the number of the try; nothing when fenced.
            """
            if (call('HGET', KEYS[1], ARGV[1]) or '0 ') ~= ARGV[2] then return false end
            if call('HGET', KEYS[2], 'try') == ARGV[3] then return call('HINCRBY', KEYS[2], 'tries', 1) end
            call('HSET', KEYS[2], 'try', ARGV[3], 'tries', 1)
            return 1
            """
        case .drain:
            // KEYS: draining. ARGV: member, 1 to drain it.
            """
            return call(ARGV[2] == '1' and 'SADD' or 'SREM', KEYS[1], ARGV[1])
            """
        case .takeTurn:
            // KEYS: turn. ARGV: member, milliseconds. Returns 1 if the member has the turn.
            """
            local there = call('GET', KEYS[1])
            if there and there ~= ARGV[1] then return 0 end
            call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            return 1
            """
        case .endTurn:
            // KEYS: turn. ARGV: member.
            """
            if call('GET', KEYS[1]) == ARGV[1] then call('DEL', KEYS[1]) end
            return 1
            """
        case .requestReload:
            // KEYS: reload.
            """
            return call('INCR', KEYS[1])
            """
        case .rights:
            // KEYS: one of the cluster. ARGV: commands, with the name of a part after a bar. Returns the missing ones, with a plus.
            """
            local missing = {}
            for _, name in ipairs(ARGV) do
                local words = {}
                for word in string.gmatch(name, '[^|]+') do words[#words + 1] = word end
                words[#words + 1] = KEYS[1]
                words[#words + 1] = KEYS[1]
                if not redis.acl_check_cmd(unpack(words)) then missing[#missing + 1] = '+' .. name end
            end
            return missing
            """
        }
    }
}
