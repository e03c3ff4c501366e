// SPDX-License-Identifier: Apache-2.0

/// The structure of a middleware, as erasing, composing and lifting may use it.
///
/// A requirement with a default rather than a protocol to cast to: a cast makes the runtime search the conformances of
/// every loaded image, once for each type of middleware.
@frozen
public enum MiddlewareStructure<InputActionType: Sendable, OutputActionType: Sendable, StateType> {
    /// The middleware cannot be taken apart.
    case opaque
    /// It does nothing, so composing drops it.
    case identity
    /// It behaves as this composition, so composing replaces it by the members.
    case composition(ComposedMiddleware<InputActionType, OutputActionType, StateType>)
    /// It keeps effects running as long as the whole state wants them, so it cannot serve a single element of a
    /// collection.
    case supervising

    /// Whether it or one of its members keeps effects running.
    @usableFromInline var supervises: Bool {
        switch self {
        case .opaque, .identity: false
        case .composition(let row): row.members.contains { $0.structure.supervises }
        case .supervising: true
        }
    }
}

extension MiddlewareProtocol {
    /// The default: nothing is known.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { .opaque }
}

extension IdentityMiddleware {
    /// The identity's structure.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { .identity }
}

extension ComposedMiddleware {
    /// The composition's structure: its members.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> {
        .composition(self)
    }
}

extension AnyMiddleware {
    /// The structure of the wrapped middleware.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { box.structure }
}

extension LiftMiddleware {
    /// The part's structure: an identity stays one, a composition is lifted member by member.
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> {
        switch part.structure {
        case .opaque: .opaque
        case .identity: .identity
        case .supervising: .supervising
        case .composition(let composition):
            .composition(
                composition.lift(
                    inputAction: inputAction, outputAction: outputAction, state: stateMap.transform))
        }
    }
}
