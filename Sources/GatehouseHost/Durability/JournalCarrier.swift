// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSupport
private import Synchronization

/// Lets what was recorded be handed over a while after notice was given of it, on a thread of its own.
///
/// Of its own, because whoever hands over may sleep while the writer is behind, and effects of plugins may keep all threads that
/// tasks share. Callable from any thread.
final class JournalCarrier: Sendable {
    /// What is recorded waits at most so long before it is handed over; the writer begins to commit it at most
    /// `JournalQueue.gathering` later.
    static let patience = Duration.milliseconds(20)

    /// What the thread waits for.
    private final class Bell: Sendable {
        /// Signalled at each notice, and at the end.
        let rings = DispatchSemaphore(value: 0)
        /// Signalled at the end.
        let end = DispatchSemaphore(value: 0)
        /// Whether the end has come.
        let isEnd = Atomic(false)
    }

    /// What the thread waits for.
    private let bell = Bell()
    /// Sleeps so long; nil for until the time is over or the end has come.
    private let sleep: (@Sendable (Duration) -> Void)?

    /// Nobody who carries yet; notices are kept until there is somebody.
    ///
    /// - Parameter sleep: sleeps in place of the thread.
    init(sleep: (@Sendable (Duration) -> Void)? = nil) { self.sleep = sleep }

    deinit { stop() }

    /// Begins to carry, until `stop`; false when the system refuses a thread. Called once.
    ///
    /// - Parameter handOver: hands over what is settled; called on the thread, `patience` after each notice at the latest.
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

    /// Gives notice that something waits.
    func notice() { bell.rings.signal() }

    /// Carries nothing more.
    func stop() {
        bell.isEnd.store(true, ordering: .releasing)
        bell.end.signal()
        bell.rings.signal()
    }
}
