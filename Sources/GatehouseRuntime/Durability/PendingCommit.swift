// SPDX-License-Identifier: Apache-2.0

private import Dispatch
package import GatehouseJournal
private import Synchronization

/// A commit that a thread sleeps for.
package final class PendingCommit: Sendable {
    /// The result; written before the signal, read after it.
    private let failure = Mutex<JournalFailure?>(nil)
    /// Signalled when the commit is done.
    private let end = DispatchSemaphore(value: 0)

    /// A commit that has not ended.
    package init() {}

    /// Wakes the thread; called once, on any thread.
    package func finish(_ failure: JournalFailure?) {
        self.failure.withLock { $0 = failure }
        end.signal()
    }

    /// Sleeps until the commit is done.
    package func wait() throws(JournalFailure) {
        end.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
