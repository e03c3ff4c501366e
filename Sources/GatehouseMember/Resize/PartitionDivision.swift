// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// The checkpoints of a cluster's partitions, divided among another number of partitions.
///
/// A value without I/O. It finds all problems, and divides nothing while there are any.
package struct PartitionDivision: Sendable {
    /// The data of one partition.
    struct Checkpoint: Sendable {
        /// The offset up to which it is processed.
        let offset: ClusterOffset
        /// The slices, by name; none for a partition that never had a checkpoint.
        let slices: [String: [UInt8]]
    }

    /// The rules of the division.
    package struct Rules: Sendable {
        /// The configuration of the cluster, with the new number of partitions.
        var cluster: ClusterConfiguration
        /// The configured state.
        var state: Value
        /// The instances that exist once in the cluster, in partition 0.
        var single: Set<String>
        /// Instances that start over.
        var discarded: Set<String>
        /// The time.
        var time: ClusterTime
    }

    /// The fate of an instance's state.
    package enum Fate: Equatable, Sendable {
        /// The state was divided by this many keys.
        case divided(keys: Int)
        /// The state stays in partition 0.
        case single
        /// The states stay in their partitions, of which there are as many as before.
        case kept
        /// The instance starts over.
        case discarded
    }

    /// The most ids of actions over all new partitions together.
    static let mostNames = 10_000_000

    /// The slices, by new partition; empty when there are problems.
    package internal(set) var partitions: [[String: [UInt8]]] = []
    /// The fates of instances with state, by id.
    package internal(set) var fates: [(instance: String, fate: Fate)] = []
    /// Sentences for the operator.
    package internal(set) var notices: [String] = []
    /// Sentences about everything that prevents the division.
    package internal(set) var problems: [String] = []

    /// The rules of the division.
    let rules: Rules
    /// The old number of partitions.
    let count: Int
    /// The old partitions, without those that never had a checkpoint.
    private(set) var old: [Old] = []

    /// An old partition, parsed.
    struct Old {
        /// Its number.
        let number: Int
        /// The unparsed data.
        let checkpoint: Checkpoint
        /// The parsed slices, by name.
        var values: [String: Value] = [:]
    }

    /// The data of an instance in one partition.
    private typealias Entry = (number: Int, offset: ClusterOffset, entry: Value)

    /// Divides checkpoints.
    init(_ checkpoints: [Checkpoint], by rules: Rules) {
        self.rules = rules
        count = checkpoints.count
        read(checkpoints)
        guard problems.isEmpty else { return }
        partitions = Array(repeating: [:], count: rules.cluster.partitions)
        guard !old.isEmpty else {
            check(discarded: [])
            return
        }
        dividePlain()
        divideInstances()
        divideLogs()
        divideNames()
        if !problems.isEmpty { partitions = [] }
    }

    /// Parses all slices.
    private mutating func read(_ checkpoints: [Checkpoint]) {
        for (number, checkpoint) in checkpoints.enumerated() where !checkpoint.slices.isEmpty {
            var partition = Old(number: number, checkpoint: checkpoint)
            for (name, bytes) in checkpoint.slices.sorted(by: { $0.key < $1.key }) {
                guard Self.isKnown(name), let value = try? JSONText.parse(bytes) else {
                    problems.append(unreadable(name, in: number))
                    continue
                }
                partition.values[name] = value
            }
            do {
                try PartitionSlices.apply(changesIn: checkpoint.slices, to: &partition.values)
            } catch {
                problems.append(unreadable(error.pointer.tokens.first ?? "", in: number))
            }
            old.append(partition)
        }
    }

    /// Returns the problem with a slice that cannot be read.
    private func unreadable(_ name: String, in partition: Int) -> String {
        "partition \(partition) has a slice \(Quotation.of(name)) that this host cannot read; use the version that wrote it"
    }

    /// Whether a slice of this name can be divided.
    private static func isKnown(_ name: String) -> Bool {
        [PartitionSlices.plain, PartitionSlices.book, PartitionSlices.inputs, PartitionSlices.effects]
            .contains(name) || name.hasPrefix(PartitionSlices.instancePrefix)
            || PartitionSlices.change(named: name) != nil || TakenIDs.time(of: name) != nil
    }

    // MARK: - The state

    /// Divides the state that no instance owns: it has no key, and must be the same everywhere.
    private mutating func dividePlain() {
        var first: (partition: Int, value: Value)?
        for partition in old {
            let number = partition.number
            guard let value = partition.values[PartitionSlices.plain] else { continue }
            let current = current(value)
            // Nothing meets what was apart.
            guard count != partitions.count else {
                partitions[number][PartitionSlices.plain] = PartitionSlices.bytes(current)
                continue
            }
            guard let known = first else {
                first = (number, current)
                continue
            }
            if let difference = Value.differences(from: known.value, to: current).first {
                problems.append(
                    "the state outside of all instances differs: \(Quotation.bare("\(difference.pointer)")) is \(difference.old?.quoted ?? "not there") in partition \(known.partition) and \(difference.new?.quoted ?? "not there") in partition \(number); let the members make it the same first, with host/state/merge to all of them"
                )
            }
        }
        if let first { give(first.value, as: PartitionSlices.plain) }
    }

    /// Gives all new partitions the same slice.
    mutating func give(_ value: Value, as name: String) {
        let bytes = PartitionSlices.bytes(value)
        for index in partitions.indices { partitions[index][name] = bytes }
    }

    /// Returns the next run's initial plain state: an idle partition may have that of an older configuration.
    private func current(_ value: Value) -> Value {
        guard case .object(var members) = value, let configured = members["configured"],
            let patch = configured.patch(to: rules.state)
        else { return value }
        members["configured"] = rules.state
        var plain = members["plain"] ?? .object([:])
        plain.merge(patch)
        members["plain"] = plain
        return .object(members)
    }

    /// Divides the states, versions and gates of instances.
    private mutating func divideInstances() {
        let ids = Set(
            old.flatMap(\.values.keys).filter { $0.hasPrefix(PartitionSlices.instancePrefix) }
                .map { String($0.dropFirst(PartitionSlices.instancePrefix.count)) })
        check(discarded: ids)
        for id in ids.sorted() {
            let name = PartitionSlices.name(of: id)
            let entries: [Entry] = old.compactMap { partition in
                partition.values[name].map { (partition.number, partition.checkpoint.offset, $0) }
            }
            let found = problems.count
            divide(id, entries, into: name)
            // Names the instance once, in front.
            for index in found..<problems.count { problems[index] = "\(id): " + problems[index] }
        }
    }

    /// Reports instances that cannot start over, because no data of them exists.
    private mutating func check(discarded known: Set<String>) {
        for id in rules.discarded.subtracting(known).sorted() {
            problems.append(
                "\(Quotation.bare(id)): no partition has anything of such an instance, so there is nothing to discard; remove it"
            )
        }
    }

    /// Divides the data of one instance.
    private mutating func divide(_ id: String, _ entries: [Entry], into name: String) {
        guard !rules.discarded.contains(id) else { return fates.append((id, .discarded)) }
        guard let newest = entries.max(by: { $0.offset < $1.offset }) else { return }
        if rules.single.contains(id) {
            guard let home = entries.first, home.number == 0, entries.count == 1 else {
                let other = entries.first { $0.number != 0 }?.number ?? 0
                return problems.append(
                    "it is there once in the cluster, in partition 0, and partition \(other) has a state of it too; start it from scratch with --discard"
                )
            }
            partitions[0][name] = PartitionSlices.bytes(home.entry)
            return fates.append((id, .single))
        }
        guard count != partitions.count else {
            for (number, _, entry) in entries { partitions[number][name] = PartitionSlices.bytes(entry) }
            return fates.append((id, .kept))
        }
        compare(entries, with: newest)
        let states = Dictionary(
            uniqueKeysWithValues: entries.compactMap { entry in
                entry.entry["state"].map { (entry.number, $0) }
            })
        guard case .object(var members) = newest.entry else { return }
        if Set(entries.map { $0.entry["digest"] }).count > 1 { members["digest"] = nil }
        guard !states.isEmpty else { return give(.object(members), as: name) }
        guard let split = rules.cluster.splits[id] else {
            return problems.append(
                "no rule says which part of its state belongs to which key; give it one in \"split\", or start it from scratch with --discard"
            )
        }
        let division = StateDivision(states, by: split, between: (count, partitions.count))
        problems += division.problems
        guard division.problems.isEmpty else { return }
        for index in partitions.indices {
            members["state"] = division.states[index]
            partitions[index][name] = PartitionSlices.bytes(.object(members))
        }
        fates.append((id, .divided(keys: division.keys)))
    }

    /// Checks that the partitions' data of an instance is consistent.
    private mutating func compare(_ entries: [Entry], with newest: Entry) {
        for (number, _, entry) in entries {
            if entry["plugin"] != newest.entry["plugin"] {
                return problems.append(
                    "it is \(words(newest.entry["plugin"])) in partition \(newest.number) and \(words(entry["plugin"])) in partition \(number); bring all partitions to one version first, with gatehouse ctl cluster reload"
                )
            }
            if let version = entry["version"], let current = newest.entry["version"], version != current {
                return problems.append(
                    "its state is of version \(words(current)) in partition \(newest.number) and of version \(words(version)) in partition \(number); let the members bring all partitions to one version first"
                )
            }
            // A gate configured differently says nothing about where it was moved.
            if entry["gate"] == newest.entry["gate"], entry["position"] != newest.entry["position"] {
                return problems.append(
                    "its gate is \(words(newest.entry["position"])) in partition \(newest.number) and \(words(entry["position"])) in partition \(number); open or close it in all of them first"
                )
            }
        }
    }

    /// Formats a value for a sentence.
    private func words(_ value: Value?) -> String { value.map { $0.stringValue ?? $0.quoted } ?? "not told" }
}

extension PartitionDivision.Rules {
    /// Creates the rules of a configuration and the plugins of a plan.
    init(
        _ cluster: ClusterConfiguration, _ plan: HostPlan, discarding discarded: Set<String>,
        at time: ClusterTime
    ) {
        self.init(
            cluster: cluster, state: plan.configuration.state,
            single: Set(plan.instances.filter { $0.manifest.scope == .cluster }.map(\.id)),
            discarded: discarded, time: time)
    }
}
