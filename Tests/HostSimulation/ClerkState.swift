// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import GatehouseSDK

/// The state of the instance in a worker: it tells each order of actions from all others.
struct ClerkState: Equatable {
    /// How many actions were heard.
    private(set) var count = 0
    /// What they have said, in their order.
    private(set) var sum: UInt64 = 0

    /// The id of the instance.
    static let instance = "clerk"

    /// A state without actions.
    init() {}

    /// Reads a state; nil for what no simulated worker tells.
    init?(_ value: Value?) {
        guard let count = value?["count"]?.intValue, let sum = value?["sum"]?.wholeNumber else { return nil }
        (self.count, self.sum) = (count, sum)
    }

    /// Reduces an action.
    mutating func reduce(_ action: ClerkAction) {
        count += 1
        sum = (sum &+ UInt64(action.told)) &* 0x100_0000_01b3 & (1 << 62 - 1)
    }

    /// The state as a worker tells it.
    var value: Value { ["count": Value(count), "sum": .unsigned(sum)] }

    /// The state as the host keeps it.
    var versioned: VersionedState { VersionedState(version: 1, value: value) }
}
