// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// A request to a child to try a configuration on the past.
struct HistoryRequest: Equatable, Sendable, ChildMessage {
    /// Where to find configuration and journal.
    let source: HistorySource
    /// The number of actions to replay.
    let count: Int
    /// The last of them.
    let last: UInt64
    /// The host's state after that action.
    let state: Value
}
