// SPDX-License-Identifier: Apache-2.0

/// Holds one instance's state as the plugin's own Swift type.
///
/// Its uses of the type come as closures: requirements would be looked up in all loaded images for each plugin.
@usableFromInline
final class TypedSliceBox<State: Sendable>: SliceBox {
    /// The box that holds the slice as the plugin's own type.
    @usableFromInline let box: StateBox<State>
    /// Encodes a state to a value.
    private let encodeState: @Sendable (State) throws(CodingFailure) -> Value
    /// Decodes a state from a value.
    private let decodeState: (Value) throws(CodingFailure) -> State

    /// Starts with the plugin's initial state.
    @usableFromInline
    init(_ state: State) where State: Codable {
        box = StateBox(state)
        encodeState = { state throws(CodingFailure) in
            try CodingFailure.catching { try Value(encoding: state) }
        }
        decodeState = { value throws(CodingFailure) in
            try CodingFailure.catching { try value.decode(State.self) }
        }
        super.init()
    }

    /// The state for readers; traps inside the plugin's reducer, which has exclusive access.
    @inlinable var current: State {
        box.current(orTrap: "a reducer must not read its own slice; it is given the state it changes")
    }

    /// Lifts the plugin's reducer to the host's types: it decodes each action and changes the state in place; a change
    /// increments the version.
    @inlinable
    func lift<Action: PluginAction>(
        _ reducer: Reducer<Action, State>, _ coding: ActionCoding<Action>
    ) -> Reducer<AnyAction, Slice> {
        Reducer { [self] action, _ in
            guard let local = coding.decode(action, isReporting: false) else { return .unchanged }
            let change = reducer.apply(local, &box.changing)
            if change == .changed { version &+= 1 }
            return change
        }
    }

    @usableFromInline
    override func encode() throws(CodingFailure) -> Value { try encodeState(current) }

    @usableFromInline
    override func copy() -> SliceCopy {
        let state = current
        return { [encodeState] () throws(CodingFailure) in try encodeState(state) }
    }

    @usableFromInline
    override func restore(_ value: Value) throws(CodingFailure) {
        box.state = try decodeState(value)
        version += 1
    }

    @usableFromInline
    override func adopt(_ other: SliceBox) -> Bool {
        guard let other = other as? TypedSliceBox<State> else { return false }
        box.state = other.current
        version += 1
        return true
    }
}
