// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSupport
private import Synchronization

/// Hands recorded data over a while after notice of it, on a separate thread.
///
/// The thread is separate because handing over may block while the writer lags, and plugins' effects may occupy all threads that
/// tasks share. Callable from any thread.
final class JournalFlusher: Sendable {
    /// The longest wait of recorded data before it is handed over; the writer starts to commit it at most
    /// `JournalQueue.gathering` later.
    static let patience = Duration.milliseconds(20)

    /// The signals to the thread.
    private final class Bell: Sendable {
        /// Signalled at each notice, and at the end.
        let rings = DispatchSemaphore(value: 0)
        /// Signalled at the end.
        let end = DispatchSemaphore(value: 0)
        /// Whether the flusher has been stopped.
        let isEnd = Atomic(false)
    }

    /// The signals to the thread.
    private let bell = Bell()
    /// Sleeps for a duration; nil for until the time is over or the end has come.
    private let sleep: (@Sendable (Duration) -> Void)?

    /// Creates a flusher that has not started; it keeps notices until then.
    ///
    /// - Parameter sleep: sleeps in place of the thread.
    init(sleep: (@Sendable (Duration) -> Void)? = nil) { self.sleep = sleep }

    deinit { stop() }

    /// Starts the thread, until `stop`, or returns false when the system refuses one; called once.
    ///
    /// - Parameter handOver: hands settled data over; called on the thread, `patience` after each notice at the latest.
    func start(handOver: @escaping @Sendable () -> Void) -> Bool {
        BackgroundThread.start { [bell, sleep] in
            let nanoseconds = Int(Self.patience / .nanoseconds(1))
            while true {
                bell.rings.wait()
                if bell.isEnd.load(ordering: .acquiring) { return }
                if let sleep {
                    sleep(Self.patience)
                } else {
                    _ = bell.end.wait(timeout: .now() + .nanoseconds(nanoseconds))
                }
                handOver()
            }
        }
    }

    /// Gives notice of waiting data.
    func notice() { bell.rings.signal() }

    /// Stops the thread.
    func stop() {
        bell.isEnd.store(true, ordering: .releasing)
        bell.end.signal()
        bell.rings.signal()
    }
}
