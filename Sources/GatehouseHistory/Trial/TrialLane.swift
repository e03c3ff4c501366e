// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSupport
private import Synchronization

/// A thread on which one side of a trial does its part of a row, while others do theirs.
///
/// One thread begins work and waits for it, in turns; what that work uses belongs to the lane meanwhile.
final class TrialLane: Sendable {
    /// What to do; nil before there is anything, and after the end.
    private let work = Mutex<(@Sendable () -> Void)?>(nil)
    /// Signalled when there is work, or the end.
    private let wake = DispatchSemaphore(value: 0)
    /// Signalled when the work is done.
    private let done = DispatchSemaphore(value: 0)

    /// Starts the thread; nil where the system refuses one.
    init?() {
        let isStarted = BackgroundThread.start { [self] in
            while true {
                wake.wait()
                guard let body = work.withLock({ $0 }) else { return }
                body()
                done.signal()
            }
        }
        if !isStarted { return nil }
    }

    /// Begins some work; the work before is done.
    func begin(_ body: @escaping @Sendable () -> Void) {
        work.withLock { $0 = body }
        wake.signal()
    }

    /// Waits until the work is done.
    func wait() { done.wait() }

    /// Ends the thread; the work before is done.
    func end() {
        work.withLock { $0 = nil }
        wake.signal()
    }
}
