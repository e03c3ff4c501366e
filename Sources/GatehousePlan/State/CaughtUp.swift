// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// An instance in quarantine that a child has brought up to the present.
package struct CaughtUp: Equatable, Sendable {
    /// Its state now; nil for one that keeps none.
    package let state: VersionedState?
    /// How many missed actions were reduced.
    package let count: Int

    /// An instance with its state.
    package init(state: VersionedState?, count: Int) {
        self.state = state
        self.count = count
    }

    /// As the child tells it.
    package var value: Value {
        var members: Members = ["count": Value(count)]
        members["state"] = state?.written
        return .object(members)
    }

    /// Reads what a child tells; nil for what none does.
    package init?(_ value: Value) {
        guard let count = value["count"]?.intValue, count >= 0 else { return nil }
        self.init(state: value["state"].flatMap(VersionedState.init(written:)), count: count)
    }
}
