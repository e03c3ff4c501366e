// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSupport

/// Partitions whose hosts have ended again and again without a checkpoint, and which are therefore read action by action: each is
/// counted before it is processed, and what has ended its hosts too often is set aside.
///
/// Belongs to the thread of the partitions' worker.
struct CarefulReading {
    /// What came of the next action of a partition.
    enum Step {
        /// There is none, so that there is no more reason for care.
        case over
        /// Somebody else has the partition; nothing was done.
        case fenced
        /// It was processed, and needs a checkpoint of its own.
        case taken
        /// It was set aside, which needs a checkpoint of its own.
        case setAside
    }

    /// A partition that was given out so often without a checkpoint is read with care.
    private static let leastAttempts = 3
    /// So many of its actions are.
    private static let length = 64
    /// An action that has been tried so often without a checkpoint behind it is set aside.
    private static let mostTries = 3

    /// How many actions are left to be read with care, by partition.
    private var left: [Int: Int] = [:]

    /// The partitions that are read so, by number.
    var partitions: [Int] { left.keys.sorted() }
    /// Whether there are none.
    var isEmpty: Bool { left.isEmpty }
    /// Whether a partition is read so.
    func contains(_ partition: Int) -> Bool { left[partition] != nil }

    /// Takes note of a partition that was given to the member.
    mutating func begin(_ partition: Int, after attempts: Int) {
        if attempts >= Self.leastAttempts { left[partition] = Self.length }
    }

    /// Takes note of a partition that the member has no more.
    mutating func end(_ partition: Int) { left[partition] = nil }

    /// Takes the next action of a partition, or sets it aside.
    ///
    /// - Parameters:
    ///   - member: the name under which the partition is owned.
    ///   - now: the time in seconds since 1970, about.
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
        countDown(partition.number)
        guard tries <= Self.mostTries else {
            partition.setAside(
                next, because: "it has ended \(Counted.text(tries - 1, "host")) that began with it", at: now)
            return .setAside
        }
        unsafe next.action.withUnsafeBytes { bytes in
            let entry = unsafe ClusterEntry(offset: next.offset, origin: next.origin, action: bytes)
            partition.take(entry, at: now)
        }
        partition.host.settle()
        return .taken
    }

    /// Takes note of an action.
    private mutating func countDown(_ partition: Int) {
        left[partition] = left[partition].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

/// An action of a partition that is looked at before it is processed.
struct CopiedEntry {
    /// Its place.
    let offset: ClusterOffset
    /// Who has put it there; nil when that is not known.
    let origin: ClusterOrigin?
    /// The action in wire form.
    let action: [UInt8]
}
