// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehouseJournal
internal import GatehouseManifest
package import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Divides what a host has kept in its journal among the partitions of a new cluster: the journal counts as one partition.
///
/// No host has the journal while this object exists.
package struct JournalImport {
    /// Keeps hosts from the journal.
    private let lock: JournalLock
    /// The division.
    private let division: PartitionDivision
    /// Sentences about everything that prevents it.
    private let problems: [String]
    /// Sentences for the operator, besides those of the division.
    private let notices: [String]
    /// The number of partitions.
    private let partitions: Int

    /// Reads a journal, and divides it by a configuration and the plugins of a plan.
    ///
    /// - Parameter discarded: the ids of instances that start over.
    /// - Throws: why it cannot be read, or that a host has it.
    package init(
        folder: String, _ cluster: ClusterConfiguration, _ plan: HostPlan,
        discarding discarded: Set<String>
    ) throws(JournalFailure) {
        lock = try JournalLock(folder: folder)
        partitions = cluster.partitions
        let promised = try JournalPromise.read(folder: folder)
        let reader = try JournalReader(folder: folder)
        try reader.compare(with: promised)
        let now = Int(UnixTime.now)
        let rules = PartitionDivision.Rules(
            cluster, plan, discarding: discarded, at: ClusterTime(now))
        let position = try reader.position()
        guard let snapshot = try reader.snapshots().good.first, snapshot.sequence + 1 == position.sequence
        else {
            problems = [
                "the journal goes on after its last snapshot; start its host once more, and end it in good order"
            ]
            (division, notices) = (PartitionDivision([], by: rules), [])
            return
        }
        var notices: [String] = []
        var slices = Self.state(
            snapshot.content, without: Set(plan.instances.filter { $0.manifest.scope == .host }.map(\.id)),
            &notices)
        slices[PartitionSlices.book] = PartitionSlices.write(SeenOrigins(), inputs: position.input - 1)
        let effects = try reader.runningEffects()
        if !effects.isEmpty {
            slices[PartitionSlices.effects] = PartitionSlices.write(effects, areHandedOver: true)
        }
        let (inputs, damage) = try reader.openInputs()
        var problems = damage.map { "\($0)" }
        var lines = RecordedLines()
        let open = inputs.compactMap { input in
            lines.action(input.bytes).map { CheckpointLog.OpenInput(number: input.number, action: $0) }
        }
        if !open.isEmpty {
            do {
                slices[PartitionSlices.inputs] = try PartitionSlices.write(open)
            } catch {
                problems.append("an action that waits cannot be written as JSON: \(error)")
            }
        }
        let names = try reader.names(after: Double(now - cluster.deduplicate))
        if let damage = names.damage { problems.append(damage) }
        // They have no keys here, so each partition is to know them.
        for (time, names) in Dictionary(grouping: names.known, by: { Int($0.time.rounded(.up)) }) {
            slices[TakenIDs.name(at: ClusterTime(time), number: 0)] = TakenIDs.bytes(
                of: names.map { TakenIDs.Entry(id: $0.name, hash: nil) })
        }
        let letters = try reader.deadLetters().letters.count
        if letters > 0 { notices.append("\(Counted.text(letters, "dead letter")) stay in the journal") }
        division = PartitionDivision([.init(offset: .start, slices: slices)], by: rules)
        self.problems = problems + division.problems
        self.notices = notices
    }

    /// Returns the slices of a state, without instances that each member has for itself; notes these.
    private static func state(_ state: SavedState, without ids: Set<String>, _ notices: inout [String])
        -> [String: [UInt8]]
    {
        var slices = [PartitionSlices.plain: PartitionSlices.bytes(state.withoutEntries.value)]
        for (id, entry) in state.value["instances"]?.objectValue ?? [:] {
            if ids.contains(id) {
                notices.append("\(id): each member has one of its own, which starts from scratch")
            } else {
                slices[PartitionSlices.name(of: id)] = PartitionSlices.bytes(entry)
            }
        }
        return slices
    }

    /// Fills the cluster; when it throws, nothing has changed.
    ///
    /// - Parameters:
    ///   - isDry: whether to write nothing.
    ///   - target: begins a resize of the cluster; called once, when nothing prevents it.
    package func run(
        isDry: Bool, into target: () throws(ClusterFailure) -> any ClusterMaintainer
    ) throws(ClusterFailure) -> ClusterResize.End {
        guard problems.isEmpty else { return .refused(problems) }
        if !isDry {
            let target = try target()
            do throws(ClusterFailure) {
                for (partition, slices) in division.partitions.enumerated() {
                    try target.write(slices, to: partition)
                }
                try target.finishResize(above: 1)
            } catch {
                try? target.abandonResize()
                throw error
            }
        }
        return .done(
            .init(
                old: 1, new: partitions, fates: division.fates, waiting: 0, repeated: 0,
                notices: notices + division.notices))
    }
}
