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
    /// The structure of the wrapped middleware.
    @usableFromInline let structure: MiddlewareStructure<InputActionType, OutputActionType, StateType>

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
        structure = middleware.structure
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
        structure = .opaque
    }
}
