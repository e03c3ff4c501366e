// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// Dispatches each action as soon as it is taken; what a crash interrupts is lost.
package final class DirectAdmission: Admission {
    package let elsewhere: (any OutputRoute)?

    /// Creates the admission of a host that keeps nothing.
    ///
    /// - Parameter elsewhere: takes the outputs that are for other stores; nil where all are for this one.
    package init(elsewhere: (any OutputRoute)? = nil) { self.elsewhere = elsewhere }

    package var keepsFirst: Bool { false }
    package var isFull: Bool { false }

    @inline(__always)
    package func take(
        _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
    ) -> Bool {
        let dispatched = DispatchedAction(action, dispatcher: source)
        if let text {
            store.queue.dispatch(dispatched) { $0.isReading(text, of: source) }
        } else {
            store.queue.dispatch(dispatched)
        }
        return true
    }

    package func dispatchTaken(to store: HostStore) {}
}
