// SPDX-License-Identifier: Apache-2.0

private import CRedis
private import Synchronization

// An entry may hold several actions, and a reader may stop between two of them: then the entry is requested again.
extension RedisEngine {
    /// The most entries requested, over all partitions, so that their bytes are bounded; at least one of each.
    static let mostEntries = 1_024

    package func read(
        _ offsets: [(partition: Int, offset: ClusterOffset)], atMost count: Int, waiting: Duration,
        _ body: (Int, borrowing ClusterEntry) -> Void
    ) throws(ClusterFailure) {
        guard !offsets.isEmpty else { return }
        let milliseconds = Int((waiting / .milliseconds(1)).rounded(.up))
        let isWaiting = milliseconds > 0
        let limit = cluster.readingLimit.load(ordering: .relaxed)
        let entries = max(1, min(count.dividedUp(by: actionsPerEntry), limit / offsets.count))
        connection.send { commands in
            commands.begin(words: 4 + (isWaiting ? 2 : 0) + 2 * offsets.count)
            commands.add("XREAD")
            commands.add("COUNT")
            commands.add(entries)
            // Zero would wait forever.
            if isWaiting {
                commands.add("BLOCK")
                commands.add(milliseconds)
            }
            commands.add("STREAMS")
            for (partition, _) in offsets { commands.add(keys.stream(partition)) }
            for (_, offset) in offsets { commands.add(offset.entryBefore) }
        }
        let asked = Dictionary(offsets.map { ($0.partition, $0.offset) }) { $1 }
        var isStrange = false
        var seen: [(partition: Int, offset: ClusterOffset)] = []
        var (actions, found) = (0, 0)
        let failure: RedisReply? = unsafe try receive(longer: isWaiting ? waiting : .zero) { reply in
            let kind = unsafe UInt32(gatehouse_redis_kind_of(reply))
            guard kind == gatehouse_redis_array.rawValue else {
                return unsafe kind == gatehouse_redis_nil.rawValue ? nil : RedisReply(copying: reply)
            }
            for index in 0..<(unsafe gatehouse_redis_count(reply)) {
                let stream = unsafe gatehouse_redis_element(reply, index)
                let partition = unsafe Int(
                    clamping: gatehouse_redis_number_at_end(gatehouse_redis_element(stream, 0)))
                guard let offset = asked[partition] else {
                    isStrange = true
                    continue
                }
                let shown = unsafe show(
                    gatehouse_redis_element(stream, 1), of: partition, after: offset, atMost: count, body)
                isStrange = isStrange || shown.isStrange
                if let last = shown.last { seen.append((partition, last)) }
                actions += shown.actions
                found += shown.entries
            }
            return nil
        }
        if let failure { throw connection.failure(of: failure) }
        if isStrange { throw .lost("it answers with actions that were not requested") }
        if found > 0 { actionsPerEntry = max(1, actions.dividedUp(by: found)) }
        // Where replicas confirm, a failover may take back what was only read: those who wrote it were told nothing yet.
        if !seen.isEmpty, cluster.replicas == 0 { cluster.confirmed.see(seen) }
    }

    /// Waits for the entries; requests fewer at once after an excessive answer, and then more again.
    @unsafe private func receive<Result>(longer: Duration, _ body: (OpaquePointer) -> Result)
        throws(ClusterFailure) -> Result
    {
        do throws(ClusterFailure) {
            let result = unsafe try connection.receive(longer: longer, body)
            let limit = cluster.readingLimit.load(ordering: .relaxed)
            if limit < Self.mostEntries {
                cluster.readingLimit.store(min(Self.mostEntries, limit * 2), ordering: .relaxed)
            }
            return result
        } catch {
            if case .excessive = error { cluster.readingLimit.store(1, ordering: .relaxed) }
            throw error
        }
    }

    /// Passes on the actions read from a stream.
    ///
    /// - Parameter asked: the action after which it is read, which may be in the middle of an entry.
    /// - Returns: the last action, how many actions and entries there were, and whether an entry is out of order or before the requested
    ///   offset, which is not passed on.
    private func show(
        _ stream: OpaquePointer?, of partition: Int, after asked: ClusterOffset, atMost count: Int,
        _ body: (Int, borrowing ClusterEntry) -> Void
    ) -> (last: ClusterOffset?, actions: Int, entries: Int, isStrange: Bool) {
        var last: ClusterOffset?
        var (actions, entries) = (0, 0)
        for index in 0..<(unsafe gatehouse_redis_count(stream)) where actions < count {
            var entry = unsafe gatehouse_redis_entry()
            guard unsafe gatehouse_redis_entry_at(stream, index, &entry) else { continue }
            entries += 1
            var offset = unsafe ClusterOffset(entry.high, entry.low)
            guard offset > last ?? asked else { return (last, actions, entries, true) }
            let origin = unsafe UnsafeRawBufferPointer(start: entry.origin, count: entry.origin_length)
            guard unsafe entry.is_packed else {
                let action = unsafe UnsafeRawBufferPointer(start: entry.action, count: entry.action_length)
                unsafe body(
                    partition,
                    ClusterEntry(offset: offset, origin: ClusterOrigin(bytes: origin), action: action))
                actions += 1
                last = offset
                continue
            }
            var packed = unsafe PackedActions(
                UnsafeRawBufferPointer(start: entry.action, count: entry.action_length), by: origin)
            while actions < count, let next = unsafe packed.next() {
                offset.place = unsafe next.place
                if offset <= asked { continue }
                unsafe body(
                    partition, ClusterEntry(offset: offset, origin: next.origin, action: next.action))
                actions += 1
                last = offset
            }
        }
        return (last, actions, entries, false)
    }
}

extension ClusterOffset {
    /// The id after which to read from Redis: its own, or the one before in the middle of an entry.
    var entryBefore: String {
        if place == Self.whole { return "\(high)-\(low)" }
        if low > 0 { return "\(high)-\(low - 1)" }
        return high > 0 ? "\(high - 1)-\(UInt64.max)" : "0-0"
    }
}

extension Int {
    /// Divides, rounding up.
    fileprivate func dividedUp(by other: Int) -> Int { (self + other - 1) / other }
}
