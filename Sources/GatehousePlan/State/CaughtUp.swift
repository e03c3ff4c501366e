// SPDX-License-Identifier: Apache-2.0

/// An instance in quarantine that a child has brought up to the present.
package struct CaughtUp: Codable, Equatable, Sendable {
    /// Its state now; nil for one that keeps none.
    package let state: VersionedState?
    /// How many missed actions were reduced.
    package let count: Int

    /// An instance with its state.
    package init(state: VersionedState?, count: Int) {
        self.state = state
        self.count = count
    }
}
