// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One place where two values differ.
struct ValueChange: Equatable {
    /// The place.
    let pointer: JSONPointer
    /// What was there, nil for nothing.
    let old: Value?
    /// What is there afterwards, nil for nothing.
    let new: Value?
}
