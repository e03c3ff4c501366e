// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// How far a partition has taken its actions, and what it knows of them, so that it takes each once.
///
/// It is part of the partition's state, and moves on with it. What it forgets, it forgets by the time of the actions themselves, which is
/// the engine's: whoever has the partition comes to the same decisions, whatever its clock says.
struct PartitionIntake {
    /// Up to where.
    private(set) var offset: ClusterOffset
    /// When the last action was put there, in seconds since 1970 by the engine's clock; does not go back when that is set back.
    private var time: Int
    /// The number of the last input.
    private(set) var inputs: UInt64
    /// How many were taken since the last checkpoint was prepared.
    private(set) var count = 0
    /// The last action of each source.
    private var seen: SeenOrigins
    /// What writers called their actions.
    private var ids: TakenIDs

    /// The intake of a partition that goes on where its last checkpoint is.
    ///
    /// - Parameter window: how many seconds the name of an action is known.
    init(_ grant: PartitionGrant, _ left: PartitionSlices.Book, window: Int) {
        offset = grant.offset
        inputs = left.inputs
        seen = left.seen
        ids = TakenIDs(window: window, from: grant.slices)
        time = max(offset.seconds, seen.newest, ids.newest)
    }

    /// Goes behind an action; false for one that was there before.
    mutating func pass(_ offset: ClusterOffset, from origin: ClusterOrigin?) -> Bool {
        self.offset = offset
        time = max(time, offset.seconds)
        count += 1
        return origin.map { seen.take($0, at: time) } ?? true
    }

    /// Takes note of what a writer has called an action; false for a name that has been there within the window.
    mutating func take(_ id: String) -> Bool { ids.take(id, at: time) }

    /// Takes note of the number that an action got as an input.
    mutating func number(_ input: UInt64) { inputs = input }

    /// The slices that the next checkpoint writes, and the names of those that go; what is counted is counted anew.
    mutating func write() -> (slices: [String: [UInt8]], gone: [String]) {
        count = 0
        seen.forget(at: time)
        var slices = [PartitionSlices.book: PartitionSlices.write(seen, inputs: inputs)]
        let names = ids.write(at: time, number: inputs)
        if let (name, bytes) = names.slice { slices[name] = bytes }
        return (slices, names.gone)
    }
}
