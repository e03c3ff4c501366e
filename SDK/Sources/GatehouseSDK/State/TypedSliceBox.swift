// SPDX-License-Identifier: Apache-2.0

/// Holds one instance's state as the plugin's own Swift type.
@usableFromInline
final class TypedSliceBox<State: Codable & Sendable>: SliceBox {
    /// The state as it is.
    @usableFromInline var state: State
    /// Whether the plugin's reducer is changing the state at this moment.
    @usableFromInline var isReducing = false

    /// Starts with the plugin's initial state.
    @usableFromInline
    init(_ state: State) {
        self.state = state
        super.init()
    }

    /// The state for readers; traps inside the plugin's reducer, which holds the state for itself.
    @inlinable var current: State {
        precondition(!isReducing, "a reducer must not read its own slice; it is given the state it changes")
        return state
    }

    /// Applies the plugin's reducer in place, and counts a change.
    @inlinable
    func reduce<Action>(_ action: Action, by reducer: Reducer<Action, State>) -> StateChange {
        isReducing = true
        let change = reducer.apply(action, &state)
        isReducing = false
        if change == .changed { version &+= 1 }
        return change
    }

    @usableFromInline
    override func encode() throws(CodingFailure) -> Value {
        do {
            return try Value(encoding: current)
        } catch {
            throw CodingFailure(error)
        }
    }

    @usableFromInline
    override func restore(_ value: Value) throws(CodingFailure) {
        do {
            state = try value.decode(State.self)
        } catch {
            throw CodingFailure(error)
        }
        version += 1
    }
}
