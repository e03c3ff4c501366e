// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether effects or other partitions wait for a checkpoint of a partition; callable from any thread.
final class PartitionUrgency: Sendable {
    /// Whether something waits.
    private let flag = Atomic(false)
    /// Called when something starts to wait.
    private let onRaise: @Sendable () -> Void

    /// Creates a flag that is not raised.
    init(_ onRaise: @escaping @Sendable () -> Void) { self.onRaise = onRaise }

    /// Records that something waits.
    func raise() {
        if !flag.exchange(true, ordering: .acquiringAndReleasing) { onRaise() }
    }

    /// Records that the checkpoint is being prepared.
    func lower() { flag.store(false, ordering: .releasing) }

    /// Whether something waits.
    var isRaised: Bool { flag.load(ordering: .acquiring) }
}
