// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

// The partitions' unfinished work, and their knowledge of sources.

extension PartitionDivision {
    /// Divides the positions of sources, held actions and running effects.
    ///
    /// The resize itself appends waiting actions to the new partitions, so these know no other sources.
    mutating func divideLogs() {
        var keys = ActionKeys(rules.cluster)
        var lines = RecordedLines()
        var last: UInt64 = 0
        var held = Array(repeating: [AnyAction](), count: partitions.count)
        var effects = Array(repeating: [JournalEffect](), count: partitions.count)
        for old in old {
            let recordedLog: PartitionSlices.RecordedLog
            do {
                recordedLog = try PartitionSlices.recordedLog(old.checkpoint.slices)
            } catch {
                problems.append("partition \(old.number): \(error); use the version that wrote it")
                continue
            }
            last = max(last, recordedLog.inputs)
            for (_, bytes) in recordedLog.held {
                guard let action = lines.action(bytes) else { continue }
                held[keys.partition(of: action) ?? old.number % held.count].append(action)
            }
            for effect in recordedLog.effects {
                let home = effect.action.flatMap { keys.partition(of: $0) } ?? old.number % effects.count
                effects[home].append(effect)
                let answer =
                    effect.recovery == .again
                    ? "partition \(home) begins it again"
                    : "partition \(home) will hear of it by \(HostActions.effectInterrupted.name)"
                notices.append(
                    "\(effect.instance): the effect \(Quotation.bare(effect.key)) was running in partition \(old.number); \(answer)"
                )
            }
        }
        for index in partitions.indices {
            let inputs = held[index].enumerated().map {
                CheckpointLog.OpenInput(number: last + UInt64($0) + 1, action: $1)
            }
            partitions[index][PartitionSlices.book] = PartitionSlices.write(
                SeenOrigins(), inputs: last + UInt64(inputs.count))
            if !effects[index].isEmpty {
                // Two partitions may have given the same numbers; later numbers are above.
                partitions[index][PartitionSlices.effects] = PartitionSlices.write(
                    effects[index].sorted { $0.number < $1.number }.enumerated().map {
                        $1.numbered(UInt64($0) + 1)
                    }, areHandedOver: true)
            }
            guard !inputs.isEmpty else { continue }
            do {
                partitions[index][PartitionSlices.inputs] = try PartitionSlices.write(inputs)
            } catch {
                problems.append("an action that is held cannot be written as JSON: \(error)")
            }
        }
    }

    /// Divides the writers' ids of actions.
    ///
    /// An id goes to the partition that its hash says. Earlier versions recorded none, but the old partition says what is left of it:
    /// such an id goes to all new partitions that keys of its old one can go to. To twice as many partitions these are two.
    mutating func divideNames() {
        typealias Names = [ClusterTime: Set<TakenIDs.Entry>]
        let window = rules.cluster.deduplicate
        let classes = Self.classes(count, partitions.count)
        var names = Array(repeating: Names(), count: partitions.count)
        // After an earlier resize several partitions have the same ones.
        var loose = Array(repeating: Names(), count: classes)
        for partition in old {
            for (name, value) in partition.values {
                guard let time = TakenIDs.time(of: name), time.left(of: window, at: rules.time) > 0 else {
                    continue
                }
                for entry in TakenIDs.entries(of: value) ?? [] {
                    if let hash = entry.hash {
                        names[PartitionHash.partition(of: hash, in: names.count)][time, default: []]
                            .insert(entry)
                    } else {
                        loose[partition.number % classes][time, default: []].insert(entry)
                    }
                }
            }
        }
        let (heirs, total) = (
            partitions.count / classes, loose.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        )
        guard total * heirs <= Self.mostNames else {
            let better = count * max(2, partitions.count / count)
            let advice =
                heirs > 2 && better != partitions.count
                    && better <= ClusterConfiguration.partitionsRange.upperBound
                ? "resize to \(better), a multiple of \(count), or " : ""
            let longest = loose.flatMap(\.keys).map { $0.left(of: window, at: rules.time) }.max() ?? 0
            return problems.append(
                "an earlier version recorded the names (meta.id) of \(total) actions in the last \(window) seconds without their keys, too many for each of \(heirs) partitions to know; \(advice)try again in \(longest) seconds: this version records the keys, so writers need not stop"
            )
        }
        for partition in partitions.indices {
            for (time, entries) in names[partition].merging(
                loose[partition % classes], uniquingKeysWith: { $0.union($1) })
            {
                partitions[partition][TakenIDs.name(at: time, number: 0)] = TakenIDs.bytes(
                    of: entries.sorted { $0.id < $1.id })
            }
        }
    }

    /// The greatest common divisor of two numbers of partitions: a key's old and new partition have the same rest by it.
    private static func classes(_ one: Int, _ other: Int) -> Int {
        other == 0 ? one : classes(other, one % other)
    }
}
