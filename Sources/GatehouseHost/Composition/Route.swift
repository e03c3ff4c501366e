// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The instances that one action type concerns, in chain order.
final class Route {
    /// One instance and the local name it hears the type by.
    final class Stop {
        /// The one that hears the type.
        let instance: Instance
        /// The place of the instance in the chain.
        let index: Int
        /// Nil when only the gate is concerned.
        let local: ActionType?
        /// Whether the type may move the instance's gate.
        let isControl: Bool

        /// A stop at an instance.
        init(instance: Instance, index: Int, local: ActionType?, isControl: Bool) {
            self.instance = instance
            self.index = index
            self.local = local
            self.isControl = isControl
        }
    }

    /// In chain order.
    let stops: [Stop]
    /// Those whose instances decide about the type, in chain order.
    let intercepting: [Stop]
    /// The stop of a route with only one, the usual kind: found without a look into the list.
    let only: Stop?
    /// Whether any of them has a reducer.
    let reduces: Bool

    /// A route with its stops in chain order.
    ///
    /// - Parameter isIntercepted: whether instances may decide about the type.
    init(stops: [Stop], isIntercepted: Bool = true) {
        self.stops = stops
        intercepting =
            isIntercepted ? stops.filter { $0.local != nil && $0.instance.intercepts } : []
        only = stops.count == 1 ? stops[0] : nil
        reduces = stops.contains { $0.instance.reduces }
    }
}
