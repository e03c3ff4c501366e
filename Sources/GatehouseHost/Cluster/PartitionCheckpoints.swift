// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK

/// Writes down what a partition has done: each checkpoint has what has changed since the one before, and one is on its way at a time.
///
/// Belongs to the thread of the partition's worker; looks at the store in its drain.
final class PartitionCheckpoints {
    /// A checkpoint on its way.
    struct Prepared {
        /// What the engine is to write.
        let checkpoint: ClusterCheckpoint
        /// Effects that begin when it is written.
        let held: [HeldEffects.Held]
    }

    /// What was written of an instance.
    private struct Mark: Equatable {
        /// The version of its slice.
        let version: UInt64
        /// Where its gate stood.
        let gate: GateState
    }

    /// The store, as it was at rest.
    private struct Rest {
        /// The states of the instances that have changed, and what none of them owns.
        let copy: CopiedState
        /// All instances.
        let marks: [String: Mark]
        /// The version of what no instance owns.
        let plain: UInt64
        /// How many actions it had processed.
        let processed: Int
    }

    /// So many actions are taken at most between two checkpoints.
    private static let mostTaken = 8_192

    /// What was made with the store.
    private let parts: PartitionParts
    /// The store.
    private let host: Host

    /// The checkpoint whose answer is waited for; nil while there is none.
    private(set) var pending: Prepared?
    /// When the last one was written.
    private var last = ContinuousClock.now
    /// How many were prepared.
    private var number = 0

    /// What was written of instances.
    private var marks: [String: Mark] = [:]
    /// The version of the plain state that was written; nil before the first time.
    private var plain: UInt64?
    /// The version of the list of effects that was written.
    private var effects = -1
    /// Whether effects are handed over that have not ended.
    private var isLast = false
    /// Whether held actions were written that are not held any more.
    private var hasHeld = true
    /// How many actions the store had processed then.
    private var processed = -1

    /// What it has for others, and was taken out of its outbox.
    private var outputs: [ClusterCheckpoint.Output] = []
    /// Effects that begin when the next one is written.
    private var held: [HeldEffects.Held] = []
    /// What was set aside.
    private var dead: [ClusterDeadLetter] = []
    /// Slices that nobody has any more.
    private var gone: [String]

    /// The checkpoints of a partition under a new epoch.
    ///
    /// - Parameter gone: slices of the last one that nobody has any more.
    init(_ parts: PartitionParts, of host: Host, gone: [String]) {
        self.parts = parts
        self.host = host
        self.gone = gone
    }

    /// Takes an action for the dead letters of the cluster.
    func setAside(_ letter: ClusterDeadLetter) { dead.append(letter) }

    /// Takes note that the partition is given back: one more is written where effects run, which says so.
    func handOver() {
        isLast = true
        if !parts.book.open.effects.isEmpty { effects = -1 }
    }

    // MARK: - When

    /// Whether there is something that is not in one, after so many actions were taken.
    private func isDirty(_ taken: Int) -> Bool {
        taken > 0 || processed != host.progress.actions || parts.book.isBehind
            || parts.book.version != effects
    }

    /// Whether one is to be written.
    func isDue(_ now: ContinuousClock.Instant, after taken: Int) -> Bool {
        pending != nil || parts.urgency.isRaised
            || isDirty(taken) && (taken >= Self.mostTaken || last.duration(to: now) >= parts.longestWait)
    }

    /// Whether everything that the partition has done is in one.
    func haveAll(after taken: Int) -> Bool {
        pending == nil && !parts.urgency.isRaised && !isDirty(taken)
    }

    // MARK: - Writing

    /// What is to be written: the one that is on its way, or a new one; nil when the store did not come to rest, or has a state that
    /// cannot be written, which is told.
    func prepare(_ intake: inout PartitionIntake) -> Prepared? {
        if let pending { return pending }
        guard let rest = rest() else { return nil }
        do {
            pending = try encode(rest, &intake)
        } catch {
            parts.report(
                .stuck(partition: parts.number, reason: "a state cannot be written as JSON: \(error)"))
        }
        return pending
    }

    /// The store at rest, of which outputs and effects are taken; nil when it did not come to rest in time.
    private func rest() -> Rest? {
        let work = host.core
        return try? work.between(.seconds(2), atRest: true) { [self] in
            parts.urgency.lower()
            parts.book.catchUp()
            parts.recorder.handOver()
            outputs += parts.outbox.take()
            held += parts.held.take()
            let generation = host.generation
            var marks: [String: Mark] = [:]
            for instance in generation.instances {
                marks[instance.id] = Mark(version: instance.slice.version, gate: instance.gate)
            }
            let copy = CopiedState(of: generation, configured: work.configuredState) {
                self.marks[$0.id] != marks[$0.id]
            }
            return Rest(
                copy: copy, marks: marks, plain: generation.state.state.plainVersion,
                processed: host.progress.actions)
        }
    }

    /// Encodes what has changed; nothing has happened when it throws.
    private func encode(_ rest: Rest, _ intake: inout PartitionIntake) throws(CodingFailure) -> Prepared {
        let saved = try rest.copy.saved()
        var slices: [String: [UInt8]] = [:]
        for (id, entry) in saved.entries {
            slices[PartitionSlices.name(of: id)] = PartitionSlices.bytes(entry.value)
        }
        if plain != rest.plain {
            slices[PartitionSlices.plain] = PartitionSlices.bytes(saved.withoutEntries.value)
        }
        let open = parts.book.open
        if open.version != effects {
            slices[PartitionSlices.effects] = PartitionSlices.write(open.effects, areHandedOver: isLast)
        }
        if !open.inputs.isEmpty || hasHeld {
            slices[PartitionSlices.inputs] = try PartitionSlices.write(open.inputs)
        }
        let taken = intake.count
        let written = intake.write()
        slices.merge(written.slices) { $1 }
        number += 1
        let prepared = Prepared(
            checkpoint: ClusterCheckpoint(
                partition: parts.number, member: parts.member, epoch: parts.epoch, offset: intake.offset,
                slices: slices, gone: gone + written.gone, outputs: outputs, dead: dead, processed: taken,
                number: number),
            held: held)
        (marks, plain, processed) = (rest.marks, rest.plain, rest.processed)
        (effects, hasHeld) = (open.version, !open.inputs.isEmpty)
        (outputs, held, dead, gone) = ([], [], [], [])
        return prepared
    }

    /// Takes note that the engine has what was prepared, and begins the effects that have waited for it.
    func commit(_ prepared: Prepared, at now: ContinuousClock.Instant) {
        pending = nil
        last = now
        if !prepared.held.isEmpty {
            host.queue.withExclusiveAccess { parts.held.begin(prepared.held) }
        }
    }
}
