// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehouseHistory
internal import GatehouseJournal
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseRuntime
package import GatehouseSDK
internal import GatehouseSupport

/// The past of a partition as far as its engine keeps it: an earlier checkpoint, and the actions after it that the partition takes.
///
/// Duplicates are left out as the partition leaves them out, and so is what was set aside as a dead letter. Reads the engine alone.
package struct PartitionStretch {
    /// Why there is no such stretch.
    package enum Failure: Error {
        /// The engine keeps no checkpoint from before the action; the first one after which it does, if there is any.
        case tooOld(first: ClusterOffset?)
        /// The engine has no action at the offset.
        case unknown
        /// A checkpoint cannot be read.
        case unreadable(CodingFailure)
        /// The engine fails.
        case engine(ClusterFailure)
        /// The journal of the stretch cannot be written.
        case journal(ToldStretchFailure)
    }

    /// The journal of the stretch.
    package let told: ToldStretch
    /// Where the checkpoint was written with which it begins.
    package let base: ClusterOffset
    /// Where its actions are, in order: the first has the number after `told.start`.
    package let offsets: [ClusterOffset]
    /// Whether effects were running at its beginning, or actions were held.
    package let beginsBusy: Bool

    /// The most actions read at a time.
    private static let mostRead = 1_000
    /// How often an engine is asked anew that has removed the checkpoint meanwhile.
    private static let mostTries = 3

    /// Reads the past of a partition.
    ///
    /// - Parameters:
    ///   - end: the last action; nil for the last that the last checkpoint has. The stretch is as short as it can be then, and otherwise
    ///     as long.
    package init(
        of partition: Int, upTo end: ClusterOffset?, _ cluster: ClusterConfiguration,
        _ maintainer: any ClusterMaintainer, _ shape: ClusterShape
    ) throws(Failure) {
        for _ in 0..<Self.mostTries {
            if let read = try Self.read(partition, upTo: end, cluster, maintainer, shape) {
                self = read
                return
            }
        }
        throw .tooOld(first: nil)
    }

    /// Creates a stretch from its parts.
    private init(told: ToldStretch, base: ClusterOffset, offsets: [ClusterOffset], beginsBusy: Bool) {
        self.told = told
        self.base = base
        self.offsets = offsets
        self.beginsBusy = beginsBusy
    }

    /// Reads the past once; nil when the engine has removed it meanwhile.
    private static func read(
        _ partition: Int, upTo end: ClusterOffset?, _ cluster: ClusterConfiguration,
        _ maintainer: any ClusterMaintainer, _ shape: ClusterShape
    ) throws(Failure) -> PartitionStretch? {
        let (base, slices, last) = try start(of: partition, upTo: end, maintainer)
        guard let slices else { return nil }
        let left: PartitionSlices.RecordedLog
        let saved: SavedState?
        do throws(CodingFailure) {
            left = try PartitionSlices.recordedLog(slices)
            saved = try PartitionSlices.saved(slices)
        } catch {
            throw .unreadable(error)
        }
        let keys = ActionKeys(cluster, partitions: shape.partitions)
        var intake = PartitionIntake(
            PartitionGrant(epoch: 0, offset: base, slices: slices, attempts: 0), left, by: keys,
            window: cluster.deduplicate)
        var lines = RecordedLines()
        var (offsets, newest) = (left.held.map { _ in base }, base)
        var obstacle: ClusterFailure?
        /// Reads the actions of the stretch, and passes on those that the partition takes.
        func pass(to take: ([UInt8], Double) -> Void) throws(ClusterFailure) {
            let engine = try maintainer.engine(of: shape)
            let aside = Set(
                try engine.deadLetters(atMost: .max).filter { $0.partition == partition }.map(\.offset))
            try engine.readRest(of: partition, after: base, through: last, atMost: mostRead) { entry in
                let offset = entry.offset
                guard offset <= last else { return }
                newest = offset
                guard intake.pass(offset, from: entry.origin, at: offset.seconds),
                    !aside.contains(offset),
                    let action = unsafe lines.action(entry.action), intake.take(action)
                else { return }
                offsets.append(offset)
                take(unsafe Array(entry.action), Self.time(of: offset))
            }
        }
        let before = saved == nil ? 0 : max(1, left.inputs)
        let told: ToldStretch
        do throws(ToldStretchFailure) {
            told = try ToldStretch(of: "\(cluster.name)/\(partition)", from: saved, behind: before) { take in
                for held in left.held { take(held.action, Self.time(of: base)) }
                do throws(ClusterFailure) { try pass(to: take) } catch { obstacle = error }
            }
        } catch {
            throw .journal(error)
        }
        if let obstacle { throw .engine(obstacle) }
        if let end, newest != end { throw .unknown }
        // What was read may have been removed in the midst of it.
        guard try engine({ () throws(ClusterFailure) in try isKept(base, of: partition, maintainer) }) else {
            return nil
        }
        return PartitionStretch(
            told: told, base: base, offsets: offsets,
            beginsBusy: !left.effects.isEmpty || !left.held.isEmpty)
    }

    /// When an action at an offset came, in seconds since 1970.
    private static func time(of offset: ClusterOffset) -> Double { Double(offset.high) / 1_000 }

    /// Returns the checkpoint to begin with, and where the last action may be; without slices when it was removed meanwhile.
    private static func start(
        of partition: Int, upTo end: ClusterOffset?, _ maintainer: any ClusterMaintainer
    ) throws(Failure) -> (base: ClusterOffset, slices: [String: [UInt8]]?, last: ClusterOffset) {
        let earlier = try engine { () throws(ClusterFailure) in
            try maintainer.earlierCheckpoints(of: partition)
        }
        let current = try engine { () throws(ClusterFailure) in try maintainer.checkpoint(of: partition) }
        if let end, current.offset <= end { return (current.offset, current.slices, end) }
        let base = end.map { end in earlier.last { $0 <= end } } ?? earlier.first
        guard let base else { throw .tooOld(first: earlier.first ?? current.offset) }
        let slices = try engine { () throws(ClusterFailure) in
            try maintainer.earlierCheckpoint(of: partition, at: base)
        }
        return (base, slices, end ?? current.offset)
    }

    /// Whether a checkpoint is there, with all actions after it.
    private static func isKept(
        _ base: ClusterOffset, of partition: Int, _ maintainer: any ClusterMaintainer
    ) throws(ClusterFailure) -> Bool {
        if try maintainer.earlierCheckpoints(of: partition).contains(base) { return true }
        return try maintainer.checkpoint(of: partition).offset == base
    }

    /// Asks the engine.
    private static func engine<Result>(_ body: () throws(ClusterFailure) -> Result) throws(Failure) -> Result
    {
        do throws(ClusterFailure) { return try body() } catch { throw .engine(error) }
    }

    /// Says which outputs of a plan's instances leave a partition.
    package static func route(
        of partition: Int, _ cluster: ClusterConfiguration, _ shape: ClusterShape
    ) -> (HostPlan) -> any OutputRoute {
        let keys = ActionKeys(cluster, partitions: shape.partitions)
        return { plan in PastRoute(OutputPlaces(of: partition, by: keys, emittedBy: plan.instances)) }
    }

    /// Takes the outputs for other partitions, which lead nowhere.
    ///
    /// `@unchecked Sendable`: touched in the drain of one host only.
    private final class PastRoute: OutputRoute, @unchecked Sendable {
        /// Says which these are.
        private var places: OutputPlaces

        /// Takes outputs by their places.
        init(_ places: OutputPlaces) { self.places = places }

        func take(_ output: DispatchedAction<AnyAction>) -> Bool { places.elsewhere(output) != nil }
    }
}

extension HostPlan {
    /// The part of the plan that a partition has.
    package func part(of partition: Int) -> HostPlan {
        members(of: partition == 0 ? [.partition, .cluster] : [.partition])
    }
}
