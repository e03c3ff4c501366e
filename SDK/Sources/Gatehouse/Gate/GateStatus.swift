// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// What anybody may know of a gate: where it stands, what it dropped, and when it moves.
///
/// Take it from the gated middleware before that goes into a store; it may be used from any thread and outlives both. A
/// gate by action moves when a control action reaches it; a gate by state is looked at when an action reaches it or the
/// store starts, so that it is told to have moved by the first action after the change.
public final class GateStatus: Sendable {
    /// What is guarded by the lock.
    private struct Told {
        /// Where the gate stood when it was last looked at.
        var position: GateState
        /// How many outputs the closed gate dropped.
        var dropped = 0
        /// The number of the latest observer.
        var nextID = 0
        /// By number, so in order of registration.
        var observers: [Int: @Sendable (GateState) -> Void] = [:]
        /// Whether the gate is gone.
        var isOver = false

        /// Registers an observer, unless there will be nothing to tell; returns what it is removed by.
        mutating func add(_ observer: @escaping @Sendable (GateState) -> Void) -> Int {
            nextID += 1
            if !isOver { observers[nextID] = observer }
            return nextID
        }
    }

    /// Under a lock that is never held while an observer is called or let go.
    private let told: Lock<Told>

    /// The status of a gate that stands so.
    @usableFromInline
    init(_ position: GateState) {
        told = Lock(Told(position: position))
    }

    /// Where the gate stands; by state, where it stood when it was last looked at.
    public var gate: GateState { told.withLock { $0.position } }

    /// How many outputs were dropped because the gate was closed.
    public var droppedOutputs: Int { told.withLock { $0.dropped } }

    /// Tells `observer` about each change until the subscription goes.
    ///
    /// It is called in the drain, in order of registration, when the gate has moved and the middleware behind it has been
    /// told (and its effects cancelled, if closing does that), before the control action reaches that middleware. An
    /// action dispatched from an observer joins the end of the queue.
    public func onChange(_ observer: @escaping @Sendable (GateState) -> Void) -> Subscription {
        let id = told.withLock { $0.add(observer) }
        return Subscription { [weak self] in self?.removeObserver(id) }
    }

    /// Where the gate stands, then each change, for one task to iterate; ends when the gate goes.
    ///
    /// The sequence never holds the store up; all changes wait in the buffer until they are taken.
    public var changes: AsyncStream<GateState> {
        let (stream, continuation) = AsyncStream.makeStream(of: GateState.self)
        let end = StreamEnd { continuation.finish() }
        let id = told.withLock { told in
            // Under the lock, so that no change comes between the two.
            continuation.yield(told.position)
            return told.add { position in
                withExtendedLifetime(end) { _ = continuation.yield(position) }
            }
        }
        continuation.onTermination = { [weak self] _ in self?.removeObserver(id) }
        return stream
    }

    /// Forgets an observer; callable from any thread, any number of times.
    private func removeObserver(_ id: Int) {
        // What the observer holds goes after the lock.
        let removed = told.withLock { $0.observers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    /// Forgets all observers, which ends the streams; called when the gate goes.
    func end() {
        let observers = told.withLock { told in
            let observers = told.observers
            told.isOver = true
            told.observers = [:]
            return observers
        }
        withExtendedLifetime(observers) {}
    }

    /// Remembers where the gate stands and tells the observers, unless it stood so before; called in the drain.
    @usableFromInline
    func moved(to position: GateState) {
        let ids = told.withLock { told -> [Int] in
            guard told.position != position else { return [] }
            told.position = position
            return told.observers.keys.sorted()
        }
        for id in ids {
            // Looked up one by one: an observer may have removed another.
            let observer = told.withLock { $0.observers[id] }
            observer?(position)
        }
    }

    /// Counts a dropped output; called in the drain.
    @usableFromInline
    func droppedOutput() { told.withLock { $0.dropped += 1 } }
}
