// SPDX-License-Identifier: Apache-2.0

/// A middleware that erasure can look into, so that composing drops identities and flattens compositions.
@usableFromInline
protocol KnownMiddleware<InputActionType, OutputActionType, StateType>: MiddlewareProtocol {
    /// Whether it does nothing.
    var isIdentity: Bool { get }
    /// The composition that behaves as it does, nil if it is not one.
    var composition: ComposedMiddleware<InputActionType, OutputActionType, StateType>? { get }
}

extension IdentityMiddleware: KnownMiddleware {
    @usableFromInline var isIdentity: Bool { true }
    @usableFromInline var composition: ComposedMiddleware<InputActionType, OutputActionType, StateType>? {
        nil
    }
}

extension ComposedMiddleware: KnownMiddleware {
    @usableFromInline var isIdentity: Bool { false }
    @usableFromInline var composition: ComposedMiddleware? { self }
}

/// A lift is what it lifts: an identity stays one, a composition is lifted member by member.
extension LiftMiddleware: KnownMiddleware {
    @usableFromInline var isIdentity: Bool { part.eraseToAnyMiddleware().isIdentity }

    @usableFromInline var composition:
        ComposedMiddleware<GlobalInputActionType, GlobalOutputActionType, GlobalStateType>?
    {
        part.eraseToAnyMiddleware().composition?
            .lifted(inputAction: inputAction, outputAction: outputAction, state: stateMap.transform)
    }
}
