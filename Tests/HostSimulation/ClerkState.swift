// SPDX-License-Identifier: Apache-2.0

import GatehousePlan
import GatehouseSDK

/// The state of an instance that runs in a worker or in the host: it tells each order of actions from all others.
struct ClerkState: Equatable {
    /// How many actions were heard.
    private(set) var count = 0
    /// What they have said, in their order.
    private(set) var sum: UInt64 = 0
    /// The version of the form of the state, which some reloads raise.
    private(set) var form = 1

    /// A state without actions, as code of a form makes it.
    init(form: Int = 1) { migrate(to: form) }

    /// Reads a state; nil for what no simulated worker tells.
    init?(_ kept: VersionedState?) {
        guard let kept, let count = kept.value["count"]?.intValue, let sum = kept.value["sum"]?.wholeNumber
        else { return nil }
        (self.count, self.sum, form) = (count, sum, kept.version)
    }

    /// Reduces an action.
    mutating func reduce(_ action: ClerkAction) {
        count += 1
        sum = (sum &+ UInt64(action.told)) &* 0x100_0000_01b3 & (1 << 62 - 1)
    }

    /// Takes over the state of an older form; not the same when it is done twice, or after another action.
    mutating func migrate(to form: Int) {
        while self.form < form {
            self.form += 1
            sum = (sum &+ 1) & (1 << 62 - 1)
        }
    }

    /// The state as a worker tells it.
    var value: Value { ["count": Value(count), "sum": .unsigned(sum)] }

    /// The state as the host keeps it.
    var versioned: VersionedState { VersionedState(version: form, value: value) }
}
