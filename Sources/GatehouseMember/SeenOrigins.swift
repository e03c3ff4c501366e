// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseSDK

/// The last action of each source that a partition has taken, so that duplicates are taken once.
///
/// It is part of the partition's state, and moves with it: a duplicate dies in the same checkpoint as the action it repeats.
struct SeenOrigins {
    /// The position of a source.
    private struct Mark {
        /// The epoch of its last action.
        var epoch: Int
        /// The number of its last action in that epoch.
        var sequence: UInt64
        /// When that action was appended, and taken.
        var time: ClusterTime

        /// The position as it is written.
        var value: Value {
            [Value(epoch), .integer(Int64(clamping: sequence)), Value(time.engine), Value(time.member)]
        }
    }

    /// The seconds of silence after which a writer sends nothing again.
    private static let memory = 3_600

    /// The positions, by the names of the sources.
    private var marks: [String: Mark] = [:]

    /// Creates an empty record.
    init() {}

    /// The time of the newest action by the engine's clock; 0 without any.
    var newest: Int { marks.values.reduce(0) { max($0, $1.time.engine) } }

    /// Records an action; false for a duplicate.
    mutating func take(_ origin: ClusterOrigin, at now: ClusterTime) -> Bool {
        if let mark = marks[origin.source],
            (origin.epoch, origin.sequence) <= (mark.epoch, mark.sequence)
        {
            return false
        }
        marks[origin.source] = Mark(epoch: origin.epoch, sequence: origin.sequence, time: now)
        return true
    }

    /// Removes writers that have been silent for long; partitions are never removed.
    mutating func forget(at now: ClusterTime) {
        marks = marks.filter { Int($0.key) != nil || $0.value.time.left(of: Self.memory, at: now) > 0 }
    }

    /// The record as it is written.
    var value: Value { .object(Members(marks.sorted { $0.key < $1.key }.map { ($0, $1.value) })) }

    /// Reads a written record; nil for anything that no host writes.
    init?(_ value: Value?) {
        guard case .object(let members) = value else { return nil }
        for (source, mark) in members {
            // Form 0 records the time of one clock only.
            guard case .array(let numbers) = mark, (3...4).contains(numbers.count),
                case .integer(let epoch) = numbers[0], let sequence = numbers[1].wholeNumber,
                case .integer(let engine) = numbers[2], case .integer(let member)? = numbers.last,
                let time = ClusterTime(known: Int(engine), Int(member))
            else { return nil }
            marks[source] = Mark(epoch: Int(epoch), sequence: sequence, time: time)
        }
    }
}
