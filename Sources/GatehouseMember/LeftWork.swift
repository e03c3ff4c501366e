// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK

/// The work that partitions leave to their next owners, counted over those that end together, so that an operator reads a few
/// sentences and not one for each partition.
struct LeftWork {
    /// Work of one kind in one partition.
    struct Part: Equatable, Sendable {
        /// The work.
        let work: UnfinishedWork
        /// What becomes of it.
        let fate: ClusterNotice.WorkFate

        /// Adds it to the counts of a member.
        func count(in effects: inout LeftEffects) {
            switch fate {
            case .again: effects.again += work.count
            case .told: effects.told += work.count
            case .lost: effects.lost += work.count
            }
        }
    }

    /// What work of the same kind is counted by.
    private struct Kind: Hashable {
        /// The id of the instance; nil for delayed actions.
        let instance: String?
        /// What becomes of it.
        let fate: ClusterNotice.WorkFate
    }

    /// The work so far: how much, and in how many partitions.
    private var sums: [Kind: (count: Int, partitions: Int)] = [:]

    /// Returns the parts of a partition that ends.
    ///
    /// - Parameters:
    ///   - recorded: the unfinished work in the last checkpoint.
    ///   - overdue: what ran when the time was over, recorded or not.
    static func parts(
        recorded: (inputs: [CheckpointLog.OpenInput], effects: [JournalEffect], version: Int),
        _ overdue: [UnfinishedWork]
    ) -> [Part] {
        var counts: [Kind: Int] = [:]
        for effect in recorded.effects {
            counts[
                Kind(instance: effect.instance, fate: effect.recovery == .again ? .again : .told), default: 0] +=
                1
        }
        if !recorded.inputs.isEmpty { counts[Kind(instance: nil, fate: .again)] = recorded.inputs.count }
        for work in overdue {
            let known = counts.reduce(0) { $0 + ($1.key.instance == work.instance ? $1.value : 0) }
            if work.count > known { counts[Kind(instance: work.instance, fate: .lost)] = work.count - known }
        }
        return counts.map {
            Part(work: UnfinishedWork(instance: $0.key.instance, count: $0.value), fate: $0.key.fate)
        }
        .sorted { ($0.work.instance ?? "", $0.fate) < ($1.work.instance ?? "", $1.fate) }
    }

    /// Adds the parts of a partition that has ended.
    mutating func add(_ parts: [Part]) {
        for part in parts {
            let kind = Kind(instance: part.work.instance, fate: part.fate)
            let sum = sums[kind] ?? (0, 0)
            sums[kind] = (sum.count + part.work.count, sum.partitions + 1)
        }
    }

    /// Takes the sentences about everything added since the last time, in the order of instances.
    mutating func take() -> [ClusterNotice] {
        defer { sums = [:] }
        return sums.sorted { ($0.key.instance ?? "", $0.key.fate) < ($1.key.instance ?? "", $1.key.fate) }.map
        {
            .left(
                UnfinishedWork(instance: $0.key.instance, count: $0.value.count),
                partitions: $0.value.partitions,
                $0.key.fate)
        }
    }
}
