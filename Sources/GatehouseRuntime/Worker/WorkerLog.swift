// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK
private import Synchronization

/// What has become of the effects of a worker's instance since its last checkpoint.
///
/// The recorder of the worker's store reports to it. Callable from any thread.
final class WorkerLog: Sendable {
    /// Effects that began or ended.
    struct Changes {
        /// Those that began, and have not ended, in order.
        var begun: [JournalEffect] = []
        /// The numbers of those that were begun at an earlier checkpoint, and have ended.
        var ended: [UInt64] = []

        /// Whether there is none.
        var isEmpty: Bool { begun.isEmpty && ended.isEmpty }
    }

    /// The changes so far.
    private let changes = Mutex(Changes())
    /// Called when the recorder has something that it has not handed over.
    private let onNotice: @Sendable () -> Void
    /// Whether that is so.
    private let behind = Atomic(false)
    /// The buffers of the recorder's batches.
    let buffers = JournalBuffers()

    /// A log without changes.
    ///
    /// - Parameter onNotice: called on any thread when there are some.
    init(onNotice: @escaping @Sendable () -> Void) { self.onNotice = onNotice }

    /// Records that the recorder has something to hand over.
    func notice() {
        if !behind.exchange(true, ordering: .acquiringAndReleasing) { onNotice() }
    }

    /// Takes a batch from the recorder.
    func take(_ batch: consuming JournalBatch) {
        let (begun, ended) = (batch.running, batch.ended)
        changes.withLock { changes in
            changes.begun += begun
            for number in ended {
                if let place = changes.begun.firstIndex(where: { $0.number == number }) {
                    changes.begun.remove(at: place)
                } else {
                    changes.ended.append(number)
                }
            }
        }
        buffers.give(batch)
    }

    /// Whether the recorder has something that it has not handed over.
    var isBehind: Bool { behind.load(ordering: .acquiring) }

    /// Records that the recorder is about to hand over everything.
    func catchUp() { behind.store(false, ordering: .releasing) }

    /// Takes the changes.
    func takeChanges() -> Changes {
        changes.withLock { changes in
            defer { changes = Changes() }
            return changes
        }
    }
}
