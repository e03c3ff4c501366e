// SPDX-License-Identifier: Apache-2.0

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
    /// Nothing records which key an id had, but its partition says what is left of the key's hash: each id goes to all new partitions
    /// that keys of its old one can go to. To twice as many partitions these are two.
    mutating func divideNames() {
        let window = rules.cluster.deduplicate
        let classes = Self.classes(count, partitions.count)
        // After an earlier resize several partitions have the same ones.
        var names = Array(repeating: [ClusterTime: Set<Value>](), count: classes)
        for partition in old {
            for (name, value) in partition.values {
                guard let time = TakenIDs.time(of: name), time.left(of: window, at: rules.time) > 0,
                    case .array(let ids) = value
                else { continue }
                names[partition.number % classes][time, default: []].formUnion(ids)
            }
        }
        guard let longest = names.flatMap(\.keys).map({ $0.left(of: window, at: rules.time) }).max() else {
            return
        }
        let (heirs, total) = (
            partitions.count / classes, names.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
        )
        guard total * heirs <= Self.mostNames else {
            let better = count * max(2, partitions.count / count)
            let advice =
                heirs > 2 && better != partitions.count
                    && better <= ClusterConfiguration.partitionsRange.upperBound
                ? "resize to \(better), a multiple of \(count), or " : ""
            return problems.append(
                "writers have given names (meta.id) to \(total) actions in the last \(window) seconds, too many for each of \(heirs) partitions to know; \(advice)stop all writers, and try again in \(longest) seconds"
            )
        }
        for (place, times) in names.enumerated() {
            for (time, ids) in times {
                let bytes = PartitionSlices.bytes(.array(ids.sorted { $0.json() < $1.json() }))
                for partition in stride(from: place, to: partitions.count, by: classes) {
                    partitions[partition][TakenIDs.name(at: time, number: 0)] = bytes
                }
            }
        }
    }

    /// The greatest common divisor of two numbers of partitions: a key's old and new partition have the same rest by it.
    private static func classes(_ one: Int, _ other: Int) -> Int {
        other == 0 ? one : classes(other, one % other)
    }
}
