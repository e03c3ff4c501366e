// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster

/// The state of an engine and the rules of its answers; its clock is that of the simulation.
struct SimulatedEngine {
    /// The engine's answer to a member that wants a partition.
    enum Acquisition {
        /// The member owns it, from this offset on.
        case granted(epoch: Int, offset: Int)
        /// The member does not get it.
        case refused(ClusterRoll.Title)
        /// Another process has the name.
        case superseded
    }

    /// Until when each member counts as alive.
    private var leases: [String: Duration] = [:]
    /// The process of each name that joined last.
    private(set) var lives: [String: Int] = [:]
    /// The members that must own nothing.
    private(set) var draining: Set<String> = []
    /// The owner and epoch of each partition.
    private(set) var titles: [ClusterRoll.Title]
    /// How far each partition is processed.
    private(set) var offsets: [Int]
    /// How long a lease lasts.
    private let lease: Duration
    /// Violations of the rules.
    private(set) var faults: [String] = []

    /// Creates an engine without members.
    init(partitions: Int, lease: Duration) {
        titles = Array(repeating: .init(), count: partitions)
        offsets = Array(repeating: 0, count: partitions)
        self.lease = lease
    }

    /// Whether a member's lease is valid.
    private func isLive(_ member: String, at now: Duration) -> Bool {
        leases[member].map { now < $0 } ?? false
    }

    /// Gives a name to a process.
    mutating func join(_ member: String, life: Int) { lives[member] = life }

    /// Makes a member drain, or ends that.
    mutating func drain(_ member: String) { draining.formSymmetricDifference([member]) }

    /// Renews a member's lease, and returns the roll; nil when another process has the name.
    mutating func renew(_ member: String, life: Int, at now: Duration) -> ClusterRoll? {
        guard lives[member] == life else { return nil }
        leases[member] = now + lease
        leases = leases.filter { now < $0.value }
        return ClusterRoll(live: Set(leases.keys), titles: titles, draining: draining)
    }

    /// Gives a partition to a live member, if that knows its epoch and no live member has it.
    mutating func acquire(_ partition: Int, for member: String, life: Int, after epoch: Int, at now: Duration)
        -> Acquisition
    {
        guard lives[member] == life else { return .superseded }
        let title = titles[partition]
        guard isLive(member, at: now), title.epoch == epoch,
            title.owner.map({ $0 == member || !isLive($0, at: now) }) ?? true
        else { return .refused(title) }
        titles[partition] = .init(owner: member, epoch: epoch + 1)
        return .granted(epoch: epoch + 1, offset: offsets[partition])
    }

    /// Takes a partition back from the member that has it under an epoch.
    mutating func release(_ partition: Int, from member: String, epoch: Int) {
        guard titles[partition] == .init(owner: member, epoch: epoch) else { return }
        titles[partition].owner = nil
    }

    /// Advances a partition for the member that has it under an epoch; returns whether it did.
    mutating func checkpoint(_ partition: Int, by member: String, epoch: Int, from offset: Int, to next: Int)
        -> Bool
    {
        guard titles[partition] == .init(owner: member, epoch: epoch) else { return false }
        if offsets[partition] != offset {
            faults.append(
                "\(member) wrote \(partition) from \(offset), but it stood at \(offsets[partition])")
        }
        offsets[partition] = next
        return true
    }
}
