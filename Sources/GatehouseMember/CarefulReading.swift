// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseRuntime
internal import GatehouseSupport

/// Partitions whose hosts have repeatedly ended without a checkpoint, and which are therefore read action by action: each action
/// is counted before it is processed, and one that has ended its hosts too often is skipped.
///
/// Belongs to the partitions' thread.
struct CarefulReading {
    /// The outcome for the next action of a partition.
    enum Step {
        /// There is no further action, so care is no longer needed.
        case over
        /// Another member has the partition; nothing was done.
        case fenced
        /// The action was processed, and needs its own checkpoint.
        case taken
        /// The action was skipped, which needs its own checkpoint.
        case setAside
    }

    /// The number of grants without a checkpoint from which a partition is read with care.
    private static let leastAttempts = 3
    /// The number of actions to read with care.
    private static let length = 64
    /// The number of tries without a following checkpoint after which an action is skipped.
    private static let mostTries = 3

    /// The remaining actions to read with care, by partition.
    private var left: [Int: Int] = [:]

    /// The partitions read with care, in order.
    var partitions: [Int] { left.keys.sorted() }
    /// Whether no partition is read with care.
    var isEmpty: Bool { left.isEmpty }
    /// Whether a partition is read with care.
    func contains(_ partition: Int) -> Bool { left[partition] != nil }

    /// Records a partition granted to the member.
    mutating func begin(_ partition: Int, after attempts: Int) {
        if attempts >= Self.leastAttempts { left[partition] = Self.length }
    }

    /// Removes a partition that the member no longer has.
    mutating func end(_ partition: Int) { left[partition] = nil }

    /// Takes the next action of a partition, or skips it.
    ///
    /// - Parameters:
    ///   - member: the name under which the partition is owned.
    ///   - now: the approximate time in seconds since 1970.
    mutating func takeNext(
        of partition: Partition, by engine: any ClusterEngine, for member: String, at now: Int
    ) throws(ClusterFailure) -> Step {
        var next: CopiedEntry?
        try engine.read([(partition.number, partition.offset)], atMost: 1, waiting: .zero) { _, entry in
            next = unsafe CopiedEntry(
                offset: entry.offset, origin: entry.origin, action: Array(entry.action))
        }
        guard let next else {
            end(partition.number)
            return .over
        }
        let tries = try engine.attempt(
            partition.number, at: next.offset, of: member, epoch: partition.epoch)
        guard let tries else { return .fenced }
        left[partition.number] = left[partition.number].flatMap { $0 > 1 ? $0 - 1 : nil }
        guard tries <= Self.mostTries else {
            partition.setAside(
                next, because: "it has ended \(Counted.text(tries - 1, "host")) that started with it", at: now
            )
            return .setAside
        }
        unsafe next.action.withUnsafeBytes { bytes in
            let entry = unsafe ClusterEntry(offset: next.offset, origin: next.origin, action: bytes)
            partition.take(entry, at: now)
        }
        partition.host.settle()
        return .taken
    }
}

/// A copy of a partition's action, examined before processing.
struct CopiedEntry {
    /// The action's offset.
    let offset: ClusterOffset
    /// Who appended it; nil when unknown.
    let origin: ClusterOrigin?
    /// The action in wire form.
    let action: [UInt8]
}
