// SPDX-License-Identifier: Apache-2.0

/// The live members and the owners, as the engine knew them at one moment.
package struct ClusterRoll: Equatable, Sendable {
    /// The owner of a partition, and the number of acquisitions so far.
    package struct Title: Equatable, Sendable {
        /// The owner; nil for none.
        package var owner: String?
        /// The number of acquisitions, from 0. Writes under a lower one are refused.
        package var epoch: Int

        /// Creates a title; by default that of a partition that never had an owner.
        package init(owner: String? = nil, epoch: Int = 0) {
            self.owner = owner
            self.epoch = epoch
        }
    }

    /// The members whose leases have not run out.
    package var live: Set<String>
    /// The titles, by partition.
    package var titles: [Title]
    /// The members that must own nothing, including absent ones.
    package var draining: Set<String>
    /// The number of the last request to reload; 0 before the first.
    package var reload: Int
    /// The digests of the plugins of the live members, by name.
    package var digests: [String: String]

    /// Creates a roll from its parts.
    package init(
        live: Set<String>, titles: [Title], draining: Set<String> = [], reload: Int = 0,
        digests: [String: String] = [:]
    ) {
        self.live = live
        self.titles = titles
        self.draining = draining
        self.reload = reload
        self.digests = digests
    }
}
