// SPDX-License-Identifier: Apache-2.0

extension InterceptorProtocol {
    /// Returns this interceptor behind a gate: while it is closed, actions pass by untouched.
    ///
    /// A control action moves the gate first, and always reaches the interceptor. While the gate is closed, it drops and
    /// counts what the interceptor emits. The interceptor may still let an action pass that it already holds, so that
    /// closing a gate loses no actions. A gate belongs to one interceptor or middleware.
    @inlinable
    public func gated(behind gate: Gate<ActionType, StateType>) -> AnyInterceptor<ActionType, StateType> {
        let inner = eraseToAnyInterceptor()
        var outputs = SinkCache<ActionType, ActionType> { parent in
            ActionSink(before: parent) { output in
                if gate.letsOutputPass() { parent.emit(output) }
            }
        }
        return AnyInterceptor(
            concerns: { gate.isMoved(by: $0) || inner.concerns($0) },
            enter: { way in
                let isOpen = gate.lets(
                    way.action, pass: way.state.getter, onChange: { inner.gateChanged(to: $0) })
                guard isOpen else { return way.onward.pass(nil) }
                inner.enter(
                    Interception(
                        action: way.action, from: way.dispatcher, state: way.state,
                        output: outputs.handler(for: way.output), onward: way.onward))
            },
            gateChanged: { inner.gateChanged(to: $0) })
    }
}
