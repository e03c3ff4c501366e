// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The instances that one action type concerns, in chain order: plain data whose stops lie in one buffer.
///
/// Copying it counts no references. The buffer belongs to the `RouteTable` that made the route, the instances to the
/// generation that has the table.
@safe
package struct Route {
    /// One instance and the local name it hears the type by.
    @safe
    package struct Stop {
        /// The instance, held by its generation.
        let reference: Unmanaged<Instance>
        /// The place of the instance in the chain.
        let index: Int
        /// Nil when only the gate is concerned.
        let local: ActionType?
        /// Whether the gate must see the action: because the type may move it, or because it follows the state.
        let asksGate: Bool
        /// Whether the instance decides about the type.
        let intercepts: Bool

        /// The one that hears the type.
        var instance: Instance { unsafe reference.takeUnretainedValue() }
    }

    /// The type of the actions that take this route.
    let type: ActionType
    /// The instances that hear the type, in chain order.
    let stops: UnsafeBufferPointer<Stop>
    /// Whether any of them has a reducer.
    let reduces: Bool
    /// Whether any of them decides about the type.
    let isIntercepted: Bool
    /// What the type asks of the host itself; nil for nearly all.
    let request: HostRequest?
    /// Whether it is told of already that nobody hears the type.
    var isNoted = false
}
