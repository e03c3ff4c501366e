// SPDX-License-Identifier: Apache-2.0

/// Lifts to an effect middleware with the same dependencies; its tokens stay those of the original.
extension EffectMiddleware {
    /// Fits all three types.
    @inlinable
    public func lift<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies> {
        lifted {
            LiftMiddleware($0, inputAction: inputAction, outputAction: outputAction, state: state)
        }
    }

    /// Fits actions and state by key paths; an output is the answered action with the output written in.
    @inlinable
    public func lift<GlobalAction: Sendable, GlobalState>(
        action: WritableKeyPath<GlobalAction, InputActionType?>, state: KeyPath<GlobalState, StateType>
    ) -> EffectMiddleware<GlobalAction, GlobalAction, GlobalState, Dependencies>
    where InputActionType == OutputActionType {
        // A collection of one: the key is the action itself, and its element always exists.
        lifted { part in
            LiftToCollectionMiddleware(
                part,
                inputAction: { (global: GlobalAction) in global[keyPath: action].map { (global, $0) } },
                outputAction: { origin, output in
                    var global = origin
                    global[keyPath: action] = output
                    return global
                },
                element: { (global: GlobalState, _) in global[keyPath: state] })
        }
    }

    /// Returns an effect middleware of other types that wraps the lifted one.
    @inlinable
    func lifted<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        _ lift:
            @escaping (EffectMiddleware) -> some MiddlewareProtocol<
                GlobalInput, GlobalOutput, GlobalState
            >
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies> {
        EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>(
            around: lift(self), count: { self.effects }, again: { self.again().lifted(lift) })
    }
}
