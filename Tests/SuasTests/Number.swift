// SPDX-License-Identifier: Apache-2.0

import Suas

/// Adds each `Add` to the entry `Int`; 0 leaves it unchanged.
struct Number: Reducer {
    var initialState: Int = 0

    func reduce(state: Int, action: any Action) -> Int? {
        guard let add = action as? Add, add.amount != 0 else { return nil }
        return state + add.amount
    }
}
