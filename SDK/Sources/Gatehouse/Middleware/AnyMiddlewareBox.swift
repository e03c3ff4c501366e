// SPDX-License-Identifier: Apache-2.0

/// The functions of one middleware, specialized for its types where it was erased; `AnyMiddleware` calls
/// them.
@usableFromInline
final class AnyMiddlewareBox<InputActionType: Sendable, OutputActionType: Sendable, StateType> {
    /// Calls `handle` of the wrapped middleware.
    @usableFromInline let handle: (InputActionType, ActionSource, GetState<StateType>) -> IO<OutputActionType>
    /// Calls `start` of the wrapped middleware.
    @usableFromInline let start: (GetState<StateType>) -> IO<OutputActionType>
    /// Calls `stopping` of the wrapped middleware.
    @usableFromInline let stopping: (GetState<StateType>) -> IO<OutputActionType>
    /// Calls `gateChanged` of the wrapped middleware.
    @usableFromInline let gateChanged: (GateState) -> Void
    /// Calls `cancelEffects` of the wrapped middleware.
    @usableFromInline let cancelEffects: () -> Void
    /// Calls `stopEffects` of the wrapped middleware.
    @usableFromInline let stopEffects: () -> Void
    /// Whether the middleware is known to do nothing.
    @usableFromInline let isIdentity: Bool
    /// Whether the middleware keeps effects running for the whole state.
    @usableFromInline let isSupervising: Bool
    /// The middleware, if it is a composition.
    @usableFromInline let composition: ComposedMiddleware<InputActionType, OutputActionType, StateType>?

    /// Captures a middleware.
    @inlinable
    init<Middleware: MiddlewareProtocol<InputActionType, OutputActionType, StateType>>(
        _ middleware: Middleware
    ) {
        handle = { middleware.handle(action: $0, from: $1, state: $2) }
        start = { middleware.start(state: $0) }
        stopping = { middleware.stopping(state: $0) }
        gateChanged = { middleware.gateChanged(to: $0) }
        cancelEffects = { middleware.cancelEffects() }
        stopEffects = { middleware.stopEffects() }
        switch middleware.structure {
        case .opaque: (isIdentity, isSupervising, composition) = (false, false, nil)
        case .identity: (isIdentity, isSupervising, composition) = (true, false, nil)
        case .supervising: (isIdentity, isSupervising, composition) = (false, true, nil)
        case .composition(let whole): (isIdentity, isSupervising, composition) = (false, false, whole)
        }
    }

    /// Creates a middleware from its `handle` function.
    @inlinable
    init(handle: @escaping (InputActionType, ActionSource, GetState<StateType>) -> IO<OutputActionType>) {
        self.handle = handle
        start = { _ in .pure() }
        stopping = { _ in .pure() }
        gateChanged = { _ in }
        cancelEffects = {}
        stopEffects = {}
        isIdentity = false
        isSupervising = false
        composition = nil
    }
}
