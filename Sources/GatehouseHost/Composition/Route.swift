// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The instances that one action type concerns, in chain order.
final class Route {
    /// One instance and the local name it hears the type by.
    struct Stop {
        let instance: Instance
        /// Nil when only the gate is concerned.
        let local: ActionType?
    }

    let stops: [Stop]

    /// A route with its stops in chain order.
    init(stops: [Stop]) {
        self.stops = stops
    }
}
