// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What writers have called their actions lately, `meta.id`, so that a partition takes each once, whichever host it came by.
///
/// New ones are written with the next checkpoint, in a slice of their own, which goes when they are too old.
struct TakenIDs {
    /// Those of one checkpoint.
    private struct Group {
        /// The name of the slice.
        let name: String
        /// When the last of them was put into the partition, and taken.
        let time: ClusterTime
        /// The names in it.
        let ids: [String]
    }

    /// What the names of the slices begin with.
    static let prefix = "ids:"
    /// How many seconds a name is known; 0 for not at all.
    private let window: Int
    /// Those that are known.
    private var known: Set<String> = []
    /// Those that are written, oldest first.
    private var groups: [Group] = []
    /// Those that are not.
    private var fresh: [String] = []
    /// The names of slices that are too old and not told yet.
    private var gone: [String] = []

    /// Names of slices that were written.
    init(window: Int, from slices: [String: [UInt8]] = [:]) {
        self.window = window
        for (name, bytes) in slices where name.hasPrefix(Self.prefix) {
            guard let time = Self.time(of: name),
                case .array(let values) = try? JSONText.parse(bytes)
            else { continue }
            let ids = values.compactMap { if case .string(let id) = $0 { id } else { nil } }
            known.formUnion(ids)
            groups.append(Group(name: name, time: time, ids: ids))
        }
        groups.sort { $0.time.engine < $1.time.engine }
    }

    /// The time of the newest name that is written, by the engine's clock; 0 without any.
    var newest: Int { groups.last?.time.engine ?? 0 }

    /// The name of the slice of names that were written at a time.
    ///
    /// - Parameter number: tells the checkpoints of one second apart.
    static func name(at time: ClusterTime, number: UInt64) -> String {
        "\(prefix)\(time.engine).\(number).\(time.member)"
    }

    /// When the names in a slice were written; nil for a slice without any.
    static func time(of slice: String) -> ClusterTime? {
        guard slice.hasPrefix(prefix) else { return nil }
        let parts = slice.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let engine = Int(parts[0]) else { return nil }
        // In the form 0 the time is noted by one clock.
        guard parts.count == 3 else { return ClusterTime(known: engine, engine) }
        return Int(parts[2]).flatMap { ClusterTime(known: engine, $0) }
    }

    /// Takes note of the name of an action that was put there at a time; false for one that has been there within the window.
    mutating func take(_ id: String, at time: ClusterTime) -> Bool {
        guard window > 0 else { return true }
        forget(at: time)
        guard known.insert(id).inserted else { return false }
        fresh.append(id)
        return true
    }

    /// Forgets names that are too old at a time.
    private mutating func forget(at time: ClusterTime) {
        let old = groups.prefix { $0.time.left(of: window, at: time) <= 0 }
        guard !old.isEmpty else { return }
        for group in old { known.subtract(group.ids) }
        gone += old.map(\.name)
        groups.removeFirst(old.count)
    }

    /// The slice with what is new, and the names of those that are too old, told once.
    ///
    /// - Parameters:
    ///   - time: that of the newest action.
    ///   - number: tells the checkpoints of one second apart.
    mutating func write(at time: ClusterTime, number: UInt64) -> (
        slice: (name: String, bytes: [UInt8])?, gone: [String]
    ) {
        forget(at: time)
        defer { gone = [] }
        guard !fresh.isEmpty else { return (nil, gone) }
        let name = Self.name(at: time, number: number)
        groups.append(Group(name: name, time: time, ids: fresh))
        var bytes: [UInt8] = []
        Value.array(fresh.map(Value.string)).writeJSON(to: &bytes)
        fresh = []
        return ((name, bytes), gone)
    }
}
