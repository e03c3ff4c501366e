// SPDX-License-Identifier: Apache-2.0

/// Holds one instance's state as the plugin's own Swift type.
///
/// What it can do with the type comes as closures: as requirements they would be looked up among all loaded images for each
/// plugin.
@usableFromInline
final class TypedSliceBox<State: Sendable>: SliceBox {
    /// The state as it is.
    @usableFromInline var state: State
    /// Whether the plugin's reducer is changing the state at this moment.
    @usableFromInline var isReducing = false

    /// Makes a value of a state.
    private let encodeState: (State) throws -> Value
    /// Makes a state of a value.
    private let decodeState: (Value) throws -> State

    /// Starts with the plugin's initial state.
    @usableFromInline
    init(_ state: State) where State: Codable {
        self.state = state
        encodeState = { try Value(encoding: $0) }
        decodeState = { try $0.decode(State.self) }
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
            return try encodeState(current)
        } catch {
            throw CodingFailure(error)
        }
    }

    @usableFromInline
    override func restore(_ value: Value) throws(CodingFailure) {
        do {
            state = try decodeState(value)
        } catch {
            throw CodingFailure(error)
        }
        version += 1
    }
}
