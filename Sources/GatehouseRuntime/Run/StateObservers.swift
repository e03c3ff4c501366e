// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// The observers of a host's state, used in the drain; adding and removing one take constant time.
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

        /// Ends it; callable from any thread.
        func end() { isActive.store(false, ordering: .releasing) }

        /// Calls it if it has not ended and wants this change.
        func tell(_ state: State, after previous: State) {
            guard isActive.load(ordering: .acquiring) else { return }
            if unsafe policy.shouldEmit(previous: previous, new: state) { body(state) }
        }
    }

    /// The observers, by the order in which they were added.
    private var all: [Int: Observer] = [:]
    /// The number of observers so far.
    private var count = 0
    /// The state that they were given last.
    private var last = State.success(.null)

    /// Whether there are none.
    var isEmpty: Bool { all.isEmpty }

    /// The observers in the order in which they were added; sorted for each change, which costs less than writing its state.
    var inOrder: [Observer] { all.sorted { $0.key < $1.key }.map(\.value) }

    /// Adds an observer; returns the number by which it is removed.
    mutating func add(_ observer: Observer, to state: State) -> Int {
        if all.isEmpty { last = state }
        count += 1
        all[count] = observer
        return count
    }

    /// Removes an observer and returns it, because releasing it may call back into the store; nil for one that is gone.
    mutating func remove(_ number: Int) -> Observer? { all.removeValue(forKey: number) }

    /// Takes note of a change; returns the state before.
    mutating func note(_ state: State) -> State {
        defer { last = state }
        return last
    }
}
