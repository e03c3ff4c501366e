// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// Lets a test look into a middleware after it went into a store.
final class UnsafeShare<Value>: @unchecked Sendable {
    // @unchecked Sendable: the tests that use it dispatch and look on one thread, never at the same time.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// Forwards to a middleware that the test keeps looking at.
struct Forward<Inner: MiddlewareProtocol>: MiddlewareProtocol {
    let inner: UnsafeShare<Inner>

    init(_ inner: UnsafeShare<Inner>) {
        self.inner = inner
    }

    func handle(
        action: Inner.InputActionType, from dispatcher: ActionSource, state: GetState<Inner.StateType>
    ) -> IO<Inner.OutputActionType> {
        inner.value.handle(action: action, from: dispatcher, state: state)
    }

    func start(state: GetState<Inner.StateType>) -> IO<Inner.OutputActionType> {
        inner.value.start(state: state)
    }

    func gateChanged(to gate: GateState) { inner.value.gateChanged(to: gate) }

    func cancelEffects() { inner.value.cancelEffects() }
}
