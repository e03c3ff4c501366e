// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The status of a gate for any thread: its position, the outputs it dropped, and its moves.
///
/// Take it from the gated middleware before you pass that to a store; it may be used from any thread and outlives both. A
/// gate by action moves when a control action reaches it. A gate by state is read when an action reaches it or the store
/// starts, so its move is reported by the first action after the change.
public final class GateStatus: Sendable {
    /// The state that the lock guards.
    private struct Told {
        /// The position when the gate was last read.
        var position: GateState
        /// The number of outputs that the closed gate dropped.
        var dropped = 0
        /// The number of the latest observer.
        var nextID = 0
        /// By number, so in order of registration.
        var observers: [Int: @Sendable (GateState) -> Void] = [:]
        /// Whether the gate has been released.
        var isOver = false

        /// Registers an observer, unless the gate is gone; returns the number to remove it by.
        mutating func add(_ observer: @escaping @Sendable (GateState) -> Void) -> Int {
            nextID += 1
            if !isOver { observers[nextID] = observer }
            return nextID
        }
    }

    /// The state; the lock is never held while an observer is called or released.
    private let told: Lock<Told>

    /// Creates the status of a gate in this position.
    @usableFromInline
    init(_ position: GateState) { told = Lock(Told(position: position)) }

    /// The position of the gate; by state, the position when it was last read.
    public var gate: GateState { told.withLock { $0.position } }

    /// The number of outputs dropped because the gate was closed.
    public var droppedOutputs: Int { told.withLock { $0.dropped } }

    /// Calls `observer` after each change until the subscription is released.
    ///
    /// It is called in the drain, in order of registration. By then the gate has moved and the middleware behind it has
    /// been notified (and its effects cancelled, if closing does that), but has not yet received the control action. An
    /// action dispatched from an observer joins the end of the queue.
    public func onChange(_ observer: @escaping @Sendable (GateState) -> Void) -> Subscription {
        let id = told.withLock { $0.add(observer) }
        return Subscription { [weak self] in self?.removeObserver(id) }
    }

    /// The current position, then each change, for one task to iterate; ends when the gate is released.
    ///
    /// The sequence never blocks the store; all changes wait in the buffer until they are taken.
    public var changes: AsyncStream<GateState> {
        let (stream, continuation) = AsyncStream.makeStream(of: GateState.self)
        let end = Subscription { continuation.finish() }
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

    /// Removes an observer; callable from any thread, any number of times.
    private func removeObserver(_ id: Int) {
        // Releases whatever the observer holds outside the lock.
        let removed = told.withLock { $0.observers.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }

    /// Removes all observers, which ends the streams; called when the gate is released.
    func end() {
        let observers = told.withLock { told in
            told.isOver = true
            return exchange(&told.observers, with: [:])
        }
        withExtendedLifetime(observers) {}
    }

    /// Stores the position and calls the observers, unless it is unchanged; called in the drain.
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
