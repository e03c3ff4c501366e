// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// The watch of an instance; ends when it is released.
final class InstanceWatch: Sendable {
    /// Receives the news from the host.
    let subscription: WatchSubscription
    /// The host being watched.
    private let target: RunningHost
    /// Signals that there is news to take; buffers at most one signal.
    private let signal: AsyncStream<Void>
    /// Lines taken but not yet read.
    private let taken = Mutex<ArraySlice<Value>>([])

    /// Creates a watch that the host has not begun.
    init(_ filter: WatchFilter, of target: RunningHost) {
        self.target = target
        let (signal, teller) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.signal = signal
        subscription = WatchSubscription(filter) { teller.yield() }
    }

    deinit {
        EventLoop.perform { [target, subscription] in target.unwatch(subscription) }
    }

    /// Waits for the next news; nil when the task is cancelled.
    ///
    /// - Throws: that more was waiting than there is room for.
    func next() async throws(ControlError) -> Value? {
        var signals = signal.makeAsyncIterator()
        while true {
            if let next = taken.withLock({ $0.popFirst() }) { return next }
            let (lines, isFull) = subscription.take()
            if lines.isEmpty {
                if isFull { throw .exhausted(WatchSubscription.overflow) }
                guard await signals.next(isolation: nil) != nil else { return nil }
            } else {
                let news = lines.split(separator: UInt8(ascii: "\n")).compactMap {
                    (try? JSONText.parse(Array($0)))?["params"]
                }
                taken.withLock { $0 += news }
            }
        }
    }
}
