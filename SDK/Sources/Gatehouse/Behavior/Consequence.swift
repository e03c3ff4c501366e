// SPDX-License-Identifier: Apache-2.0

/// What one action leads to: how the state changes, and what is done afterwards.
public struct Consequence<ActionType: Sendable, StateType, Dependencies> {
    /// From the state after the reducers to an effect.
    public typealias Produce = (
        GetState<StateType>, EffectContext<Dependencies, ActionType>
    ) -> Effect<Dependencies, ActionType>

    /// Changes the state; nil for no change.
    let mutate: ((inout StateType) -> StateChange)?
    /// Gives the effect; nil for none.
    let produce: Produce?

    /// A consequence that neither changes the state nor has an effect.
    public static var doNothing: Consequence { Consequence(mutate: nil, produce: nil) }

    /// A change of the state, in place.
    public static func reduce(_ mutate: @escaping (inout StateType) -> Void) -> Consequence {
        reducing { state in
            mutate(&state)
            return .changed
        }
    }

    /// A change of the state that says whether there was any.
    public static func reducing(_ mutate: @escaping (inout StateType) -> StateChange) -> Consequence {
        Consequence(mutate: mutate, produce: nil)
    }

    /// A consequence that leaves the state alone and has an effect.
    public static func produce(_ produce: @escaping Produce) -> Consequence {
        Consequence(mutate: nil, produce: produce)
    }

    /// The same change, followed by an effect; joined to one that was there, behind it.
    ///
    /// The function is called when all reducers are done, reads the state they left, and is given the dependencies as they are then.
    public func produce(_ produce: @escaping Produce) -> Consequence {
        guard let first = self.produce else { return Consequence(mutate: mutate, produce: produce) }
        return Consequence(mutate: mutate) { state, context in
            first(state, context) <> produce(state, context)
        }
    }
}
