// SPDX-License-Identifier: Apache-2.0

/// The consequence of one action: a change of the state, and an effect afterwards.
public struct Consequence<ActionType: Sendable, StateType, Dependencies> {
    /// Maps the state after the reducers to an effect.
    public typealias Produce = (
        GetState<StateType>, EffectContext<Dependencies, ActionType>
    ) -> Effect<Dependencies, ActionType>

    /// Changes the state; nil for no change.
    let mutate: ((inout StateType) -> StateChange)?
    /// Returns the effect; nil for none.
    let produce: Produce?

    /// A consequence that neither changes the state nor has an effect.
    public static var doNothing: Consequence { Consequence(mutate: nil, produce: nil) }

    /// Changes the state in place.
    public static func reduce(_ mutate: @escaping (inout StateType) -> Void) -> Consequence {
        reducing { state in
            mutate(&state)
            return .changed
        }
    }

    /// Changes the state and reports whether anything changed.
    public static func reducing(_ mutate: @escaping (inout StateType) -> StateChange) -> Consequence {
        Consequence(mutate: mutate, produce: nil)
    }

    /// Leaves the state alone and produces an effect.
    public static func produce(_ produce: @escaping Produce) -> Consequence {
        Consequence(mutate: nil, produce: produce)
    }

    /// Returns the same change, followed by an effect; an existing effect comes first.
    ///
    /// The function is called when all reducers are done. It reads the state they left, and receives the dependencies of that
    /// moment.
    public func produce(_ produce: @escaping Produce) -> Consequence {
        guard let first = self.produce else { return Consequence(mutate: mutate, produce: produce) }
        return Consequence(mutate: mutate) { state, context in
            first(state, context) <> produce(state, context)
        }
    }
}
