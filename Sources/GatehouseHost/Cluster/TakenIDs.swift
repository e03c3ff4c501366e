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
        /// When the last of them was put into the partition, in seconds since 1970 by the engine's clock.
        let time: Int
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
            guard let time = Int(name.dropFirst(Self.prefix.count).prefix { $0 != "." }),
                case .array(let values) = try? JSONText.parse(bytes)
            else { continue }
            let ids = values.compactMap { if case .string(let id) = $0 { id } else { nil } }
            known.formUnion(ids)
            groups.append(Group(name: name, time: time, ids: ids))
        }
        groups.sort { $0.time < $1.time }
    }

    /// The time of the newest name that is written; 0 without any.
    var newest: Int { groups.last?.time ?? 0 }

    /// Takes note of the name of an action that was put there at a time; false for one that has been there within the window.
    mutating func take(_ id: String, at time: Int) -> Bool {
        guard window > 0 else { return true }
        forget(at: time)
        guard known.insert(id).inserted else { return false }
        fresh.append(id)
        return true
    }

    /// Forgets names that are too old at a time.
    private mutating func forget(at time: Int) {
        guard let first = groups.first, first.time <= time - window else { return }
        let old = groups.prefix { $0.time <= time - window }
        for group in old { known.subtract(group.ids) }
        gone += old.map(\.name)
        groups.removeFirst(old.count)
    }

    /// The slice with what is new, and the names of those that are too old, told once.
    ///
    /// - Parameters:
    ///   - time: that of the newest action.
    ///   - number: tells the checkpoints of one second apart.
    mutating func write(at time: Int, number: UInt64) -> (
        slice: (name: String, bytes: [UInt8])?, gone: [String]
    ) {
        forget(at: time)
        defer { gone = [] }
        guard !fresh.isEmpty else { return (nil, gone) }
        let name = "\(Self.prefix)\(time).\(number)"
        groups.append(Group(name: name, time: time, ids: fresh))
        var bytes: [UInt8] = []
        Value.array(fresh.map(Value.string)).writeJSON(to: &bytes)
        fresh = []
        return ((name, bytes), gone)
    }
}
