// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// An instance in quarantine that a child has brought up to the present.
struct CaughtUp: Equatable, Sendable {
    /// Its state now; nil for one that keeps none.
    let state: VersionedState?
    /// How many missed actions were reduced.
    let count: Int

    /// An instance with its state.
    init(state: VersionedState?, count: Int) {
        self.state = state
        self.count = count
    }

    /// As the child tells it.
    var value: Value {
        var members: Members = ["count": Value(count)]
        members["state"] = state?.written
        return .object(members)
    }

    /// Reads what a child tells; nil for what none does.
    init?(_ value: Value) {
        guard let count = value["count"]?.intValue, count >= 0 else { return nil }
        self.init(state: value["state"].flatMap(VersionedState.init(written:)), count: count)
    }
}
