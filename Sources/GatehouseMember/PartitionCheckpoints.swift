// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// Writes a partition's checkpoints, one at a time, each with the changes since the one before.
///
/// Belongs to the partition's thread; inspects the store in its drain.
final class PartitionCheckpoints {
    /// A checkpoint in progress.
    struct Prepared {
        /// The checkpoint for the engine to write.
        let checkpoint: ClusterCheckpoint
        /// Effects that start once it is written.
        let held: [HeldEffects.Held]
    }

    /// The written version of an instance.
    private struct Mark: Equatable {
        /// The version of its slice.
        let version: UInt64
        /// The position of its gate.
        let gate: GateState
    }

    /// A copy of the idle store.
    private struct Rest {
        /// The states of the changed instances, and the state that no instance owns.
        let copy: CopiedState
        /// The versions of all instances.
        let marks: [String: Mark]
        /// The version of the state that no instance owns.
        let plain: UInt64
        /// The number of actions processed.
        let processed: Int
    }

    /// The most actions taken between two checkpoints, where these do not take long to prepare.
    private static let mostTaken = 8_192
    /// The least time that counts as an effort.
    private static let leastEffort = Duration.milliseconds(5)

    /// The parts created with the store.
    private let parts: PartitionParts
    /// The store.
    private let host: Host

    /// The checkpoint awaiting its answer; nil without one.
    private(set) var pending: Prepared?
    /// When the last checkpoint was written.
    private var last = ContinuousClock.now
    /// How long the last one took to prepare: a large state takes long, because all of it is compared.
    private var effort = Duration.zero

    /// What the engine has of the instances, by id.
    private var written: [String: WrittenSlice] = [:]
    /// The written versions of instances.
    private var marks: [String: Mark] = [:]
    /// The written version of the plain state; nil before the first time.
    private var plain: UInt64?
    /// The written version of the list of effects.
    private var effects = -1
    /// Whether unfinished effects are handed over.
    private var isLast = false
    /// Whether the last checkpoint may contain held actions.
    private var hasHeld = true
    /// The number of actions the store had processed by the last checkpoint.
    private var processed = -1

    /// The next checkpoint, with the outputs, skipped actions and slices without an owner so far.
    private var next: ClusterCheckpoint
    /// Effects that start once the next checkpoint is written.
    private var held: [HeldEffects.Held] = []

    /// Creates the checkpoints of a partition under a new epoch.
    ///
    /// - Parameters:
    ///   - offset: that of the last checkpoint.
    ///   - gone: slices of the last checkpoint without an owner.
    init(_ parts: PartitionParts, of host: Host, after offset: ClusterOffset, gone: [String]) {
        self.parts = parts
        self.host = host
        next = ClusterCheckpoint(
            partition: parts.number, member: parts.member, epoch: parts.epoch, after: offset)
        next.gone = gone
    }

    /// Adds an action to the dead letters of the cluster.
    func setAside(_ letter: ClusterDeadLetter) { next.dead.append(letter) }

    /// Records that the partition is handed back: if effects run, one more checkpoint says so.
    func handOver() {
        isLast = true
        if !parts.checkpointLog.open.effects.isEmpty { effects = -1 }
    }

    // MARK: - When

    /// Whether a checkpoint would contain anything new after `taken` further actions.
    private func isDirty(_ taken: Int) -> Bool {
        taken > 0 || processed != host.progress.actions || parts.checkpointLog.isBehind
            || parts.checkpointLog.version != effects
    }

    /// Whether a checkpoint is due: at once where something waits for it, but so that preparing takes no more than half of the time, and a
    /// tenth where nothing waits.
    func isDue(_ now: ContinuousClock.Instant, after taken: Int) -> Bool {
        if pending != nil { return true }
        let pause = max(.zero, last.duration(to: now))
        if isUrgent || taken >= Self.mostTaken { return pause >= effort }
        return isDirty(taken) && pause >= max(parts.longestWait, effort * 9)
    }

    /// Whether something waits for a checkpoint.
    var isUrgent: Bool { parts.urgency.isRaised }

    /// Whether a checkpoint holds all the partition's work.
    func haveAll(after taken: Int) -> Bool { pending == nil && !parts.urgency.isRaised && !isDirty(taken) }

    // MARK: - Writing

    /// Returns the checkpoint in progress, or a new one; nil when the store did not come to rest, or has an unwritable state, which
    /// is reported.
    func prepare(_ intake: inout PartitionIntake) -> Prepared? {
        if let pending { return pending }
        let start = ContinuousClock.now
        guard let rest = rest() else { return nil }
        do {
            pending = try encode(rest, &intake)
            let time = start.duration(to: .now)
            effort = time < Self.leastEffort ? .zero : time
        } catch {
            parts.report(
                .stuck(partition: parts.number, reason: "a state cannot be written as JSON: \(error)"))
        }
        return pending
    }

    /// Copies the store when it is idle, and takes its outputs and effects; nil when it did not become idle in time.
    private func rest() -> Rest? {
        let work = host.store
        return try? work.between(.seconds(2), whenIdle: true) { [self] () -> Rest? in
            parts.urgency.lower()
            parts.checkpointLog.catchUp()
            parts.recorder.handOver()
            next.outputs += parts.outbox.take()
            held += parts.held.take()
            guard let turn = work.turn else { return nil }
            var marks: [String: Mark] = [:]
            for instance in turn.instances {
                marks[instance.id] = Mark(version: instance.slice.version, gate: instance.gate)
            }
            let copy = turn.copy { self.marks[$0.id] != marks[$0.id] }
            return Rest(
                copy: copy, marks: marks, plain: turn.state.plainVersion,
                processed: host.progress.actions)
        }
    }

    /// Encodes the changes; changes nothing when it throws.
    private func encode(_ rest: Rest, _ intake: inout PartitionIntake) throws(CodingFailure) -> Prepared {
        let saved = try rest.copy.saved()
        let open = parts.checkpointLog.open
        var slices: [String: [UInt8]] = [:]
        if !open.inputs.isEmpty || hasHeld {
            slices[PartitionSlices.inputs] = try PartitionSlices.write(open.inputs)
        }
        // From here on nothing throws.
        for (id, entry) in saved.entries {
            let writing = self.written[id, default: WrittenSlice(of: id)].write(entry.value)
            slices.merge(writing.slices) { $1 }
            next.gone += writing.gone
        }
        if plain != rest.plain {
            slices[PartitionSlices.plain] = PartitionSlices.bytes(saved.withoutEntries.value)
        }
        if open.version != effects {
            slices[PartitionSlices.effects] = PartitionSlices.write(open.effects, areHandedOver: isLast)
        }
        next.processed = intake.count
        let written = intake.write()
        slices.merge(written.slices) { $1 }
        (next.offset, next.slices) = (intake.offset, slices)
        next.gone += written.gone
        next.number += 1
        let prepared = Prepared(checkpoint: next, held: held)
        (marks, plain, processed) = (rest.marks, rest.plain, rest.processed)
        (effects, hasHeld) = (open.version, !open.inputs.isEmpty)
        next.base = next.offset
        (next.slices, next.outputs, next.dead, next.gone, held) = ([:], [], [], [], [])
        return prepared
    }

    /// Records that the engine has the checkpoint, and starts the effects that have waited for it.
    func commit(_ prepared: Prepared, at now: ContinuousClock.Instant) {
        pending = nil
        last = now
        if !prepared.held.isEmpty { host.turn { _ in parts.held.begin(prepared.held) } }
    }
}
