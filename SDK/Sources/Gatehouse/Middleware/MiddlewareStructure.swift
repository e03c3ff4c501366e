// SPDX-License-Identifier: Apache-2.0

/// What erasing, composing and lifting may know about a middleware.
///
/// A requirement with a default rather than a protocol to cast to: a cast makes the runtime look through the conformances
/// of every loaded image, once for each type of middleware.
@frozen
public enum MiddlewareStructure<InputActionType: Sendable, OutputActionType: Sendable, StateType> {
    /// The middleware cannot be taken apart.
    case opaque
    /// It does nothing, so composing drops it.
    case identity
    /// It behaves as this composition, so composing puts the members in its place.
    case composition(ComposedMiddleware<InputActionType, OutputActionType, StateType>)
    /// It keeps effects running while the state wants them, all of it, so it cannot be told one element of a collection.
    case supervising

    /// Whether it or a member of it keeps effects running.
    @usableFromInline var supervises: Bool {
        switch self {
        case .opaque, .identity: false
        case .composition(let row): row.members.contains { $0.structure.supervises }
        case .supervising: true
        }
    }
}

extension MiddlewareProtocol {
    /// Nothing is known about it.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { .opaque }
}

extension IdentityMiddleware {
    /// The structure of the identity, which is nothing.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> { .identity }
}

extension ComposedMiddleware {
    /// The structure of a composition, which is its members.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> {
        .composition(self)
    }
}

extension AnyMiddleware {
    /// That of the middleware whose type is hidden.
    @inlinable
    public var structure: MiddlewareStructure<InputActionType, OutputActionType, StateType> {
        if box.isIdentity { return .identity }
        return box.composition.map { .composition($0) } ?? (box.isSupervising ? .supervising : .opaque)
    }
}

extension LiftMiddleware {
    /// That of what it lifts: an identity stays one, a composition is lifted member by member.
    public var structure: MiddlewareStructure<GlobalInputActionType, GlobalOutputActionType, GlobalStateType>
    {
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
