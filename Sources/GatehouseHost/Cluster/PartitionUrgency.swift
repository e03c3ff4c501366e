// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether a checkpoint of a partition is waited for: by effects that are to begin, or by other partitions. From any thread.
final class PartitionUrgency: Sendable {
    /// Whether it is.
    private let flag = Atomic(false)
    /// Called when something begins to wait.
    private let onRaise: @Sendable () -> Void

    /// Nothing waits.
    init(_ onRaise: @escaping @Sendable () -> Void) { self.onRaise = onRaise }

    /// Something waits from here on.
    func raise() {
        if !flag.exchange(true, ordering: .acquiringAndReleasing) { onRaise() }
    }

    /// What waits is being done.
    func lower() { flag.store(false, ordering: .releasing) }

    /// Whether something waits.
    var isRaised: Bool { flag.load(ordering: .acquiring) }
}
