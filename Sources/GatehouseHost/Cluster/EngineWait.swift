// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// A thread's wait for actions at the engine, which others end when they want something else of it.
///
/// The thread calls `during(_:_:)`, anybody the rest. Who wants the wait to end must have the connection woken that waits; as long as
/// there is a `sleeper`, it may just have been about to wait, and is to be woken again.
final class EngineWait: Sendable {
    /// What the connection is called at which the thread waits, or is about to; 0 while it does not.
    private let connection = Atomic(0)
    /// Whether somebody wants the thread, which has not looked since.
    private let isCalled = Atomic(false)
    /// Has the connection of the sleeper woken.
    private let onCall: @Sendable () -> Void

    /// A thread that does not wait.
    ///
    /// - Parameter onCall: called by who calls the thread while it waits; is to have the connection woken.
    init(onCall: @escaping @Sendable () -> Void) { self.onCall = onCall }

    /// Wants the thread not to wait.
    func call() {
        isCalled.store(true, ordering: .sequentiallyConsistent)
        if connection.load(ordering: .sequentiallyConsistent) != 0 { onCall() }
    }

    /// What the connection is called that is to be woken; nil for none.
    var sleeper: Int? {
        let connection = connection.load(ordering: .sequentiallyConsistent)
        return connection != 0 && isCalled.load(ordering: .sequentiallyConsistent) ? connection : nil
    }

    /// Lets the thread do something in which it may wait at a connection; not if it was called since the last time.
    func during<Failure>(
        _ connection: Int, _ body: (_ mayWait: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        // Whoever calls from here on finds the connection, and whoever has called before is found.
        self.connection.store(connection, ordering: .sequentiallyConsistent)
        defer { self.connection.store(0, ordering: .sequentiallyConsistent) }
        try body(!isCalled.exchange(false, ordering: .sequentiallyConsistent))
    }
}
