// SPDX-License-Identifier: Apache-2.0

private import Dispatch
private import Synchronization

/// What one thread sleeps for until another one tells it.
final class WaitingNote<Content: Sendable>: Sendable {
    /// What is told.
    private let content = Mutex<Content?>(nil)
    /// Signalled when it is told.
    private let isTold = DispatchSemaphore(value: 0)

    /// A note that nobody has written.
    init() {}

    /// Tells it, once, on any thread.
    func tell(_ content: Content) {
        self.content.withLock { $0 = content }
        isTold.signal()
    }

    /// Sleeps until it is told; called once.
    func wait() -> Content {
        while true {
            isTold.wait()
            if let content = content.withLock({ $0 }) { return content }
        }
    }
}
