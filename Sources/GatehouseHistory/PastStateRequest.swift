// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseReload
internal import GatehouseSupport

/// A request to a child to make a past state.
struct PastStateRequest: Equatable, Sendable, ChildMessage {
    /// Where to find journal and plugins.
    let source: HistorySource
    /// The requested state.
    let query: PastStateQuery
}
