// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Names of action types and their numbers, for the whole process; never shrinks.
///
/// Open addressing over a 64-bit FNV-1a hash of the UTF-8 bytes, so that looking up a name makes no `String`.
final class ActionTypeTable: Sendable {
    /// What is guarded by the lock.
    private struct Entries {
        /// By number; place 0 is not used.
        var names: [String] = [""]
        /// Hashes of the names, by number.
        var hashes: [UInt64] = [0]
        /// Numbers by hash, 0 for a free place; a power of two, at most half full.
        var places: [UInt32] = Array(repeating: 0, count: 1024)
        /// How many names came from outside.
        var arrived = 0
    }

    /// The table of this process.
    static let shared = ActionTypeTable()

    /// The entries; whoever keeps an `ActionType` compares numbers and never comes here.
    private let entries = Lock(Entries())

    /// An empty table.
    init() {}

    /// Finds or enters a name; nil when it would be one more than `limit` of those entered with a limit.
    func id(of name: UnsafeRawBufferPointer, limit: Int?) -> UInt32? {
        let hash = unsafe hash(name)
        return entries.withLock { entries in
            var place = Int(truncatingIfNeeded: hash) & (entries.places.count - 1)
            while entries.places[place] != 0 {
                let id = entries.places[place]
                if entries.hashes[Int(id)] == hash, unsafe isEqual(entries.names[Int(id)], name) {
                    return id
                }
                place = (place + 1) & (entries.places.count - 1)
            }
            if let limit {
                guard entries.arrived < limit else { return nil }
                entries.arrived += 1
            }
            entries.names.append(unsafe String(decoding: name, as: UTF8.self))
            entries.hashes.append(hash)
            entries.places[place] = UInt32(entries.names.count - 1)
            if entries.names.count * 2 > entries.places.count { grow(&entries) }
            return UInt32(entries.names.count - 1)
        }
    }

    /// The name of a number that this table gave.
    func name(of id: UInt32) -> String {
        entries.withLock { $0.names[Int(id)] }
    }

    /// Doubles the places.
    private func grow(_ entries: inout Entries) {
        var places = [UInt32](repeating: 0, count: entries.places.count * 2)
        for id in 1..<entries.names.count {
            var place = Int(truncatingIfNeeded: entries.hashes[id]) & (places.count - 1)
            while places[place] != 0 { place = (place + 1) & (places.count - 1) }
            places[place] = UInt32(id)
        }
        entries.places = places
    }

    /// Whether a name has exactly these UTF-8 bytes; texts that differ only in normalization are different names.
    private func isEqual(_ name: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var name = name
        return name.withUTF8 { unsafe $0.count == bytes.count && $0.elementsEqual(bytes) }
    }

    /// FNV-1a with its halves folded, because a place is taken from the low bits.
    private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<bytes.count { hash = unsafe (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
        return hash ^ (hash >> 32)
    }
}
