// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// A thread's wait for actions at the engine, which other threads interrupt.
///
/// The thread calls `during(_:_:)`; any thread may call the rest. To interrupt the wait, a caller must have the connection of the
/// `sleeper` woken, and woken again while there still is one, because it may just have been about to wait.
final class EngineWait: Sendable {
    /// The id of the connection at which the thread waits or is about to; 0 while it does not.
    private let connection = Atomic(0)
    /// Whether the thread has been called since it last checked.
    private let isCalled = Atomic(false)
    /// Has the sleeper's connection woken.
    private let onCall: @Sendable () -> Void

    /// Creates the wait of a thread that is not waiting.
    ///
    /// - Parameter onCall: called by a caller of the waiting thread; must have the connection woken.
    init(onCall: @escaping @Sendable () -> Void) { self.onCall = onCall }

    /// Asks the thread not to wait.
    func call() {
        isCalled.store(true, ordering: .sequentiallyConsistent)
        if connection.load(ordering: .sequentiallyConsistent) != 0 { onCall() }
    }

    /// The id of the connection to wake; nil for none.
    var sleeper: Int? {
        let connection = connection.load(ordering: .sequentiallyConsistent)
        return connection != 0 && isCalled.load(ordering: .sequentiallyConsistent) ? connection : nil
    }

    /// Runs a closure in which the thread may wait at a connection; it may not if called since the last time.
    func during<Failure>(
        _ connection: Int, _ body: (_ mayWait: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        // Any later caller finds the connection, and any earlier call is found.
        self.connection.store(connection, ordering: .sequentiallyConsistent)
        defer { self.connection.store(0, ordering: .sequentiallyConsistent) }
        try body(!isCalled.exchange(false, ordering: .sequentiallyConsistent))
    }
}
