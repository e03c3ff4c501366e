// SPDX-License-Identifier: Apache-2.0

/// Something that the event loop does after a while, unless this is cancelled first.
@EventLoop
public final class LoopTimer {
    /// What the loop knows it by.
    private let token: UInt64

    /// Does it once, when the time is over or as soon afterwards as the loop can.
    public init(after delay: Duration, _ body: @escaping @EventLoop () -> Void) {
        token = EventLoop.waits.add(after: delay, body)
    }

    /// Does it no longer; without effect afterwards.
    public func cancel() { EventLoop.waits.remove(token) }
}
