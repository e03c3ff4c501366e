// SPDX-License-Identifier: Apache-2.0

/// Holds one instance's state as the plugin's own Swift type.
@usableFromInline
final class TypedSliceBox<State: Codable & Sendable>: SliceBox {
    /// The state as it is.
    @usableFromInline var state: State

    /// Starts with the plugin's initial state.
    @usableFromInline
    init(_ state: State) {
        self.state = state
        super.init()
    }

    @usableFromInline
    override func encode() throws(CodingFailure) -> Value {
        do {
            return try Value(encoding: state)
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
