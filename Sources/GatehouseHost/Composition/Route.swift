// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The instances that one action type concerns, in chain order.
struct Route {
    /// One instance and the local name it hears the type by.
    struct Stop {
        let instance: Instance
        /// Nil when only the gate is concerned.
        let local: ActionType?
    }

    let stops: [Stop]

    /// Whether a reducer is among them.
    var isEmpty: Bool { stops.isEmpty }
}
