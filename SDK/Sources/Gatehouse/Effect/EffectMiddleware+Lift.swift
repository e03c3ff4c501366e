// SPDX-License-Identifier: Apache-2.0

/// A lifted effect middleware is one again, with the same dependencies; its tokens stay those of the original.
extension EffectMiddleware {
    /// Fits all three types.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> EffectMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType, Dependencies> {
        lifted(inputAction: inputActionMap, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits outputs and state; hears the same actions.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable, GlobalStateType>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> EffectMiddleware<InputActionType, GlobalOutputActionType, GlobalStateType, Dependencies> {
        lifted(inputAction: { $0 }, outputAction: outputActionMap, state: stateMap)
    }

    /// Fits inputs and state; emits the same actions.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalStateType>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> EffectMiddleware<GlobalInputActionType, OutputActionType, GlobalStateType, Dependencies> {
        lifted(inputAction: inputActionMap, outputAction: { $0 }, state: stateMap)
    }

    /// Fits inputs and outputs; reads the same state.
    @inlinable
    public func lift<GlobalInputActionType: Sendable, GlobalOutputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?,
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> EffectMiddleware<GlobalInputActionType, GlobalOutputActionType, StateType, Dependencies> {
        lifted(inputAction: inputActionMap, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the inputs only.
    @inlinable
    public func lift<GlobalInputActionType: Sendable>(
        inputAction inputActionMap: @escaping (GlobalInputActionType) -> InputActionType?
    ) -> EffectMiddleware<GlobalInputActionType, OutputActionType, StateType, Dependencies> {
        lifted(inputAction: inputActionMap, outputAction: { $0 }, state: { $0 })
    }

    /// Fits the outputs only.
    @inlinable
    public func lift<GlobalOutputActionType: Sendable>(
        outputAction outputActionMap: @escaping (OutputActionType) -> GlobalOutputActionType
    ) -> EffectMiddleware<InputActionType, GlobalOutputActionType, StateType, Dependencies> {
        lifted(inputAction: { $0 }, outputAction: outputActionMap, state: { $0 })
    }

    /// Fits the state only.
    @inlinable
    public func lift<GlobalStateType>(
        state stateMap: @escaping (GlobalStateType) -> StateType
    ) -> EffectMiddleware<InputActionType, OutputActionType, GlobalStateType, Dependencies> {
        lifted(inputAction: { $0 }, outputAction: { $0 }, state: stateMap)
    }

    /// Fits actions and state by key paths; an output is the action that it answers, with the output written in.
    @inlinable
    public func lift<GlobalAction: Sendable, GlobalStateType>(
        action: WritableKeyPath<GlobalAction, InputActionType?>, state: KeyPath<GlobalStateType, StateType>
    ) -> EffectMiddleware<GlobalAction, GlobalAction, GlobalStateType, Dependencies>
    where InputActionType == OutputActionType {
        // A collection of one: the key is the action itself, and its element is always there.
        let lifted = LiftToCollectionMiddleware(
            self, inputAction: { (global: GlobalAction) in global[keyPath: action].map { (global, $0) } },
            outputAction: { origin, output in
                var global = origin
                global[keyPath: action] = output
                return global
            },
            element: { (global: GlobalStateType, _) in global[keyPath: state] })
        return EffectMiddleware<GlobalAction, GlobalAction, GlobalStateType, Dependencies>(
            around: lifted.eraseToAnyMiddleware(), running: { self.runningEffects })
    }

    /// Lifts along all three axes.
    @inlinable
    func lifted<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies> {
        let lifted = LiftMiddleware(
            self, inputAction: inputAction, outputAction: outputAction, state: state)
        return EffectMiddleware<GlobalInput, GlobalOutput, GlobalState, Dependencies>(
            around: lifted.eraseToAnyMiddleware(), running: { self.runningEffects })
    }
}
