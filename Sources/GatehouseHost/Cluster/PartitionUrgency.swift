// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether a checkpoint of a partition is waited for: by effects that are to begin, or by other partitions. From any thread.
final class PartitionUrgency: Sendable {
    /// Whether it is.
    private let flag = Atomic(false)

    /// Nothing waits.
    init() {}

    /// Something waits from here on.
    func raise() { flag.store(true, ordering: .releasing) }

    /// What waits is being done.
    func lower() { flag.store(false, ordering: .releasing) }

    /// Whether something waits.
    var isRaised: Bool { flag.load(ordering: .acquiring) }
}
