// SPDX-License-Identifier: Apache-2.0

// `LiftMiddleware` explains lifting. Here are the lifts along all three axes; Scripts/generate-lifts writes those that leave
// out axes, which keep their types.

extension MiddlewareProtocol {
    /// Fits all three types.
    @inlinable
    public func lift<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> LiftMiddleware<GlobalInput, GlobalOutput, GlobalState, Self> {
        LiftMiddleware(self, inputAction: inputAction, outputAction: outputAction, state: state)
    }
}

extension AnyMiddleware {
    /// Fits all three types, and preserves the structure: an identity stays one, a composition is lifted member by member.
    @inlinable
    public func lift<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> AnyMiddleware<GlobalInput, GlobalOutput, GlobalState> {
        switch structure {
        case .identity: AnyMiddleware<GlobalInput, GlobalOutput, GlobalState>(IdentityMiddleware())
        case .composition(let whole):
            whole.lift(inputAction: inputAction, outputAction: outputAction, state: state)
                .eraseToAnyMiddleware()
        case .opaque, .supervising:
            LiftMiddleware(self, inputAction: inputAction, outputAction: outputAction, state: state)
                .eraseToAnyMiddleware()
        }
    }
}

extension ComposedMiddleware {
    /// Fits all three types of each member, so that the result stays flat when it is composed further.
    @inlinable
    public func lift<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> ComposedMiddleware<GlobalInput, GlobalOutput, GlobalState> {
        ComposedMiddleware<GlobalInput, GlobalOutput, GlobalState>(
            members.map { $0.lift(inputAction: inputAction, outputAction: outputAction, state: state) })
    }
}

extension IdentityMiddleware {
    /// Returns the identity of the larger types; the maps are discarded.
    @inlinable
    public func lift<GlobalInput: Sendable, GlobalOutput: Sendable, GlobalState>(
        inputAction: @escaping (GlobalInput) -> InputActionType?,
        outputAction: @escaping (OutputActionType) -> GlobalOutput,
        state: @escaping (GlobalState) -> StateType
    ) -> IdentityMiddleware<GlobalInput, GlobalOutput, GlobalState> {
        IdentityMiddleware<GlobalInput, GlobalOutput, GlobalState>()
    }
}

/// Maps from the type without values, so it is never called.
@inlinable
func absurd<Value>(_ never: Never) -> Value {}

extension MiddlewareProtocol where OutputActionType == Never {
    /// Returns this listening middleware in a form that fits where others emit actions of this type.
    @inlinable
    public func emitting<GlobalOutput: Sendable>(
        _ type: GlobalOutput.Type = GlobalOutput.self
    ) -> LiftMiddleware<InputActionType, GlobalOutput, StateType, Self> {
        lift(outputAction: absurd)
    }
}
