// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseRuntime
internal import GatehouseSDK

/// A partition's position in its actions, and its knowledge of them, so that it takes each once.
///
/// It is part of the partition's state, and moves with it. Knowledge expires by two times, that of the actions themselves, which is the
/// engine's, and the member's: neither makes it expire too early when its clock is wrong.
struct PartitionIntake {
    /// The current offset.
    private(set) var offset: ClusterOffset
    /// When the engine appended the last action, and when the member took it; the engine's time does not go back here when its clock
    /// is set back.
    private var time: ClusterTime
    /// The number of the last input.
    var inputs: UInt64
    /// The number of actions taken since the last checkpoint was prepared.
    private(set) var count = 0
    /// The last action of each source.
    private var seen: SeenOrigins
    /// The writers' ids of actions.
    private var ids: TakenIDs
    /// Determines the key of an action with such an id.
    private var keys: ActionKeys

    /// Creates the intake of a partition that continues from its last checkpoint.
    ///
    /// - Parameter window: how many seconds an action's id is remembered.
    init(
        _ grant: PartitionGrant, _ left: PartitionSlices.RecordedLog, by keys: ActionKeys, window: Int
    ) {
        self.keys = keys
        offset = grant.offset
        inputs = left.inputs
        seen = left.seen
        ids = TakenIDs(window: window, from: grant.slices)
        time = ClusterTime(max(offset.seconds, seen.newest, ids.newest))
    }

    /// Advances past an action; false for a duplicate.
    ///
    /// - Parameter now: the approximate time by the member's clock, in seconds since 1970.
    mutating func pass(_ offset: ClusterOffset, from origin: ClusterOrigin?, at now: Int) -> Bool {
        self.offset = offset
        time = ClusterTime(engine: max(time.engine, offset.seconds), member: now)
        count += 1
        return origin.map { seen.take($0, at: time) } ?? true
    }

    /// Records the id that its writer gave an action, if any; false for an id seen within the window.
    mutating func take(_ action: AnyAction) -> Bool {
        guard action.hasMeta, case .string(let id)? = action.meta?["id"] else { return true }
        return ids.take(TakenIDs.Entry(id: id, hash: keys.hash(of: action)), at: time)
    }

    /// Returns the slices for the next checkpoint, and the names of those to delete; resets the count.
    mutating func write() -> (slices: [String: [UInt8]], gone: [String]) {
        count = 0
        seen.forget(at: time)
        var slices = [PartitionSlices.book: PartitionSlices.write(seen, inputs: inputs)]
        let names = ids.write(at: time, number: inputs)
        if let (name, bytes) = names.slice { slices[name] = bytes }
        return (slices, names.gone)
    }
}
