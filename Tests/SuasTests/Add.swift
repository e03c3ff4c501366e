// SPDX-License-Identifier: Apache-2.0

import Suas

/// Adds to the number; prints as `+1`.
struct Add: Action, CustomStringConvertible {
    let amount: Int

    init(_ amount: Int) { self.amount = amount }

    var description: String { "+\(amount)" }
}
