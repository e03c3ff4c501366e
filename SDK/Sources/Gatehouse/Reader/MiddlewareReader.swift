// SPDX-License-Identifier: Apache-2.0

/// A stored function from dependencies to a middleware, as SwiftRex's.
///
/// Nothing is made before `inject` is called. So readers whose middlewares have different types and needs can be fitted to
/// a program and composed first, and injected once, with everything the program provides.
///
/// ## Lifting
/// `lift` fits a reader along any of four axes; an axis that is left out keeps its type.
///
/// | axis | map | called |
/// | --- | --- | --- |
/// | `inputAction` | from the program's action to the middleware's, nil for others | once for each action |
/// | `outputAction` | from the middleware's action to the program's | once for each output |
/// | `state` | from the program's state to the middleware's | once for each read |
/// | `dependencies` | from the program's dependencies to the middleware's | once for each `inject` |
///
/// The first three run in the drain. A key path can serve as a map, and an enum case as `outputAction`. A lift of the
/// dependencies alone leaves the middleware as it is; the others wrap it in a `LiftMiddleware`, except an erased one, which
/// stays recognisable as an identity or composition.
///
/// ```swift
/// let night = MiddlewareReader { (world: World) in Self.night(world.steps) }
/// let middleware = night.inject(World(steps: 4))
/// ```
@frozen
public struct MiddlewareReader<Dependencies, MiddlewareType: MiddlewareProtocol>: MiddlewareReaderProtocol {
    public let inject: (Dependencies) -> MiddlewareType

    @inlinable
    public init(inject: @escaping (Dependencies) -> MiddlewareType) {
        self.inject = inject
    }
}

/// A function from dependencies to a middleware; use `MiddlewareReader` unless you have special needs.
///
/// Readers are lifted and composed before any dependency is known; `inject` makes the middleware.
public protocol MiddlewareReaderProtocol<Dependencies, MiddlewareType> {
    /// The type of the dependencies.
    associatedtype Dependencies
    /// The type of the middleware that the reader makes.
    associatedtype MiddlewareType: MiddlewareProtocol

    /// Makes a middleware; each call makes a new one.
    var inject: (Dependencies) -> MiddlewareType { get }

    /// Stores the function for later.
    init(inject: @escaping (Dependencies) -> MiddlewareType)
}

extension MiddlewareReaderProtocol {
    /// The type of the actions that the middleware handles.
    public typealias InputActionType = MiddlewareType.InputActionType
    /// The type of the actions that it emits.
    public typealias OutputActionType = MiddlewareType.OutputActionType
    /// The type of the state that it reads.
    public typealias StateType = MiddlewareType.StateType

    /// A reader of the same middleware, fitted to a program.
    public typealias Lifted<World, Input: Sendable, Output: Sendable, State> = MiddlewareReader<
        World, LiftMiddleware<Input, Output, State, MiddlewareType>
    >
}
