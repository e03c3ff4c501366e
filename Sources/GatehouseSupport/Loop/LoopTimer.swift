// SPDX-License-Identifier: Apache-2.0

/// A closure that the event loop calls after a delay, unless this is cancelled first.
@EventLoop
package final class LoopTimer {
    /// The loop's name for it.
    private let token: UInt64

    /// Calls the closure once, after the delay or as soon afterwards as the loop can.
    package init(after delay: Duration, _ body: @escaping @EventLoop () -> Void) {
        token = EventLoop.waits.add(after: delay, body)
    }

    /// Cancels the call; without effect afterwards.
    package func cancel() { EventLoop.waits.remove(token) }
}
