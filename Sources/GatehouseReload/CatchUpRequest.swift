// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
internal import GatehouseSupport

/// A request to a child to reduce missed actions.
package struct CatchUpRequest: Equatable, Sendable, ChildMessage {
    /// One instance in quarantine.
    package struct Instance: Codable, Equatable, Sendable {
        /// Its id.
        package let id: String
        /// The state to continue from; nil without one.
        package let state: VersionedState?
        /// The parts of the journal in which its gate was open.
        package let open: [ClosedRange<UInt64>]
        /// The number of actions missed in those parts.
        package let missed: Int
    }

    /// Where to find journal and plugins.
    package let source: HistorySource
    /// The instances that catch up.
    package let instances: [Instance]
}
