// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One action that reported an error.
struct Report: Codable, Sendable {
    /// The type of the action that reported an error.
    let type: String
    /// The file, line or instance that dispatched the action.
    let source: ActionSource
    /// The time it was heard, in seconds since 1970-01-01 00:00 UTC; nil without the dependency `clock`.
    let at: Double?
    /// Its payload, nil when there was none or the operator does not want to keep it.
    let payload: Value?
}
