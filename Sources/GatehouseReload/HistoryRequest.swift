// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
package import GatehouseValue

/// A request to a child to try a configuration on the past.
package struct HistoryRequest: Equatable, Sendable, ChildMessage {
    /// Where to find configuration and journal.
    package let source: HistorySource
    /// The number of actions to replay.
    package let count: Int
    /// The last of them.
    package let last: UInt64
    /// The host's state after that action.
    package let state: Value
}
