// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSupport

/// A request to a child to reduce missed actions.
struct CatchUpRequest: Equatable, Sendable, ChildMessage {
    /// One instance in quarantine.
    struct Instance: Codable, Equatable, Sendable {
        /// Its id.
        let id: String
        /// The state to continue from; nil without one.
        let state: VersionedState?
        /// The parts of the journal in which its gate was open.
        let open: [ClosedRange<UInt64>]
        /// The number of actions missed in those parts.
        let missed: Int
    }

    /// Where to find journal and plugins.
    let source: HistorySource
    /// The instances that catch up.
    let instances: [Instance]
}
