// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehouseSDK
private import Synchronization

/// What has become of the effects of a worker's instance since its last checkpoint.
///
/// The recorder of the worker's store reports to it. Callable from any thread.
package final class WorkerLog: Sendable {
    /// Effects that began or ended.
    package struct Changes {
        /// Those that began, or began again, and have not ended, by their numbers, which grow.
        package var begun: [UInt64: JournalEffect] = [:]
        /// The numbers of those that the host knows and that have ended.
        package var ended: [UInt64] = []

        /// Whether there is none.
        var isEmpty: Bool { begun.isEmpty && ended.isEmpty }
    }

    /// What the lock guards.
    private struct Content {
        /// The changes so far.
        var changes = Changes()
        /// The numbers of effects that the host knows and that have not ended.
        var known: Set<UInt64> = []
    }

    /// The changes, and what the host knows.
    private let content = Mutex(Content())
    /// Called when the recorder has something that it has not handed over.
    private let onNotice: @Sendable () -> Void
    /// Whether that is so.
    private let behind = Atomic(false)
    /// The buffers of the recorder's batches.
    let buffers = JournalBuffers()

    /// A log without changes.
    ///
    /// - Parameter onNotice: called on any thread when there are some.
    package init(onNotice: @escaping @Sendable () -> Void) { self.onNotice = onNotice }

    /// Records that the recorder has something to hand over.
    func notice() {
        if !behind.exchange(true, ordering: .acquiringAndReleasing) { onNotice() }
    }

    /// Takes a batch from the recorder.
    package func take(_ batch: consuming JournalBatch) {
        let (begun, ended) = (batch.running, batch.ended)
        content.withLock { content in
            // Of several with one number the last one counts.
            for effect in begun { content.changes.begun[effect.number] = effect }
            for number in ended {
                content.changes.begun[number] = nil
                if content.known.remove(number) != nil { content.changes.ended.append(number) }
            }
        }
        buffers.give(batch)
    }

    /// Whether the recorder has something that it has not handed over.
    var isBehind: Bool { behind.load(ordering: .acquiring) }

    /// Records that the recorder is about to hand over everything.
    package func catchUp() { behind.store(false, ordering: .releasing) }

    /// Takes note of an effect that the host knows from the process before.
    package func know(_ effect: JournalEffect) { content.withLock { _ = $0.known.insert(effect.number) } }

    /// Takes the changes, which the host knows from then on.
    package func takeChanges() -> Changes {
        content.withLock { content in
            content.known.formUnion(content.changes.begun.keys)
            return exchange(&content.changes, with: Changes())
        }
    }
}
