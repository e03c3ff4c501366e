// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// The observers of a host's state, in order of registration; used in the drain.
struct StateObservers {
    /// The state as observers are given it.
    typealias State = Result<Value, CodingFailure>

    /// One observer.
    final class Observer: Sendable {
        /// Selects the changes that it is called for; used in the drain.
        private nonisolated(unsafe) let policy: ShouldEmitValue<State>
        /// Called in the drain.
        private let body: @Sendable (State) -> Void
        /// Whether it has not ended.
        private let isActive = Atomic(true)

        /// Creates an observer that is not called yet.
        init(_ policy: ShouldEmitValue<State>, _ body: @escaping @Sendable (State) -> Void) {
            unsafe self.policy = policy
            self.body = body
        }

        /// Whether it is no longer called.
        var hasEnded: Bool { !isActive.load(ordering: .acquiring) }

        /// Ends it; callable from any thread.
        func end() { isActive.store(false, ordering: .releasing) }

        /// Calls it if it wants this change.
        func tell(_ state: State, after previous: State) {
            if !hasEnded, unsafe policy.shouldEmit(previous: previous, new: state) { body(state) }
        }
    }

    /// The observers; those that have ended until they are removed.
    private(set) var all: [Observer] = []
    /// The state that they were given last.
    private var last = State.success(.null)

    /// Whether there are none.
    var isEmpty: Bool { all.isEmpty }

    /// Adds an observer.
    mutating func add(_ observer: Observer, to state: State) {
        if all.isEmpty { last = state }
        all.append(observer)
    }

    /// Removes the observers that have ended.
    mutating func removeEnded() { all.removeAll(where: \.hasEnded) }

    /// Takes note of a change; returns the state before.
    mutating func note(_ state: State) -> State {
        defer { last = state }
        return last
    }
}
