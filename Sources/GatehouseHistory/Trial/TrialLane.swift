// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSupport
private import Synchronization

/// A thread on which one side of a trial does its part of each row, while others do theirs.
///
/// One thread begins work, and waits once for each; what that work uses belongs to the lane meanwhile.
final class TrialLane: Sendable {
    /// What to do, in order.
    private let work = Mutex<[@Sendable () -> Void]>([])
    /// Signalled for each work, and at the end.
    private let wake = DispatchSemaphore(value: 0)
    /// Signalled for each work that is done.
    private let done = DispatchSemaphore(value: 0)

    /// Starts the thread; nil where the system refuses one.
    init?() {
        let isStarted = BackgroundThread.start { [self] in
            while true {
                wake.wait()
                guard let body = work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                body()
                done.signal()
            }
        }
        if !isStarted { return nil }
    }

    /// Begins some work once that before is done.
    func begin(_ body: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(body) }
        wake.signal()
    }

    /// Waits until the oldest work is done for which nobody has waited.
    func wait() { done.wait() }

    /// Ends the thread; the work before is done.
    func end() { wake.signal() }
}
