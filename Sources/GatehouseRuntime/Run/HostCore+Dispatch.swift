// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

// The queue's code is specialized in the module that calls it, and calls the generation directly only in the generation's own.
extension HostCore {
    /// Takes an action from any thread; see `DrainQueue.dispatch(_:)`.
    package func dispatch(_ action: AnyAction, from source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source))
    }

    /// Takes an action that was read from a line, which says in which column a payload is wrong while the action is processed
    /// at once.
    package func dispatch(_ action: AnyAction, read text: ActionText, from source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source)) { $0.isReading(text, of: source) }
    }

    /// Takes an action that was read from a place whose text is not known any more.
    package func dispatch(_ action: AnyAction, readFrom source: ActionSource) {
        queue.dispatch(DispatchedAction(action, dispatcher: source)) { $0.isReading(source) }
    }
}
