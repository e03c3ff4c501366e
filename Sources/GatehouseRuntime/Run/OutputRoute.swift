// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// Says which outputs of a host's instances are for another store, and takes them there.
package protocol OutputRoute: AnyObject, Sendable {
    /// Learns whose outputs it takes; called before the instances are started.
    func stand(before store: HostStore)

    /// Takes an output under its global type if it is for another store; false for one that is not. Called in the host's drain.
    func take(_ output: DispatchedAction<AnyAction>) -> Bool
}

extension OutputRoute {
    package func stand(before store: HostStore) {}
}
