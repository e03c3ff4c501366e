// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Recent ids of actions, `meta.id`, by which a partition takes each action once, whichever host it came by.
///
/// New ids are written with the next checkpoint in a separate slice, which is deleted when they expire.
struct TakenIDs {
    /// An id, and what tells its partition among any number of them.
    struct Entry: Hashable {
        /// The id.
        let id: String
        /// The hash of its action's key; nil where no key was recorded, as by earlier versions.
        let hash: UInt64?
    }

    /// The ids of one checkpoint.
    private struct Group {
        /// The name of the slice.
        let name: String
        /// When the last of them was appended to the partition, and taken.
        let time: ClusterTime
        /// The ids.
        let ids: [String]
    }

    /// The prefix of the slices' names.
    static let prefix = "ids:"
    /// How many seconds an id is remembered; 0 for not at all.
    private let window: Int
    /// The remembered ids.
    private var known: Set<String> = []
    /// The written groups, oldest first.
    private var groups: [Group] = []
    /// The unwritten ids.
    private var fresh: [Entry] = []
    /// The names of expired slices not yet returned.
    private var gone: [String] = []

    /// Reads the ids from written slices.
    init(window: Int, from slices: [String: [UInt8]] = [:]) {
        self.window = window
        for (name, bytes) in slices where name.hasPrefix(Self.prefix) {
            guard let time = Self.time(of: name),
                let ids = (try? JSONText.parse(bytes)).flatMap(Self.entries)?.map(\.id)
            else { continue }
            known.formUnion(ids)
            groups.append(Group(name: name, time: time, ids: ids))
        }
        groups.sort { $0.time.engine < $1.time.engine }
    }

    /// The time of the newest written id, by the engine's clock; 0 without any.
    var newest: Int { groups.last?.time.engine ?? 0 }

    /// Returns the name of the slice of ids written at a time.
    ///
    /// - Parameter number: distinguishes checkpoints of the same second.
    static func name(at time: ClusterTime, number: UInt64) -> String {
        "\(prefix)\(time.engine).\(number).\(time.member)"
    }

    /// Returns when the ids in a slice were written; nil for any other slice.
    static func time(of slice: String) -> ClusterTime? {
        guard slice.hasPrefix(prefix) else { return nil }
        let parts = slice.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let engine = Int(parts[0]) else { return nil }
        // Form 0 records the time of one clock only.
        guard parts.count == 3 else { return ClusterTime(known: engine, engine) }
        return Int(parts[2]).flatMap { ClusterTime(known: engine, $0) }
    }

    /// Returns the entries of a slice: an array of ids, each followed by its hash, if there is one; nil for anything else.
    static func entries(of slice: Value) -> [Entry]? {
        guard case .array(let values) = slice else { return nil }
        return values.indices.compactMap { index in
            guard case .string(let id) = values[index] else { return nil }
            guard index + 1 < values.count, case .integer(let hash) = values[index + 1] else {
                return Entry(id: id, hash: nil)
            }
            return Entry(id: id, hash: UInt64(bitPattern: hash))
        }
    }

    /// Writes the slice of ids.
    static func bytes(of entries: some Sequence<Entry>) -> [UInt8] {
        var values: [Value] = []
        for entry in entries {
            values.append(.string(entry.id))
            if let hash = entry.hash { values.append(.integer(Int64(bitPattern: hash))) }
        }
        return PartitionSlices.bytes(.array(values))
    }

    /// Records the id of an action appended at a time; false for an id seen within the window.
    mutating func take(_ entry: Entry, at time: ClusterTime) -> Bool {
        guard window > 0 else { return true }
        forget(at: time)
        guard known.insert(entry.id).inserted else { return false }
        fresh.append(entry)
        return true
    }

    /// Removes ids that have expired at a time.
    private mutating func forget(at time: ClusterTime) {
        let old = groups.prefix { $0.time.left(of: window, at: time) <= 0 }
        guard !old.isEmpty else { return }
        for group in old { known.subtract(group.ids) }
        gone += old.map(\.name)
        groups.removeFirst(old.count)
    }

    /// Returns the slice of new ids, and the names of expired slices, each once.
    ///
    /// - Parameters:
    ///   - time: the time of the newest action.
    ///   - number: distinguishes checkpoints of the same second.
    mutating func write(at time: ClusterTime, number: UInt64) -> (
        slice: (name: String, bytes: [UInt8])?, gone: [String]
    ) {
        forget(at: time)
        defer { gone = [] }
        guard !fresh.isEmpty else { return (nil, gone) }
        let name = Self.name(at: time, number: number)
        groups.append(Group(name: name, time: time, ids: fresh.map(\.id)))
        let bytes = Self.bytes(of: fresh)
        fresh = []
        return ((name, bytes), gone)
    }
}
