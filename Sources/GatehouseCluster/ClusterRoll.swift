// SPDX-License-Identifier: Apache-2.0

/// Who is there and who owns what, as the engine knew it at one moment.
public struct ClusterRoll: Equatable, Sendable {
    /// Who has a partition, and how often it was acquired so far.
    public struct Title: Equatable, Sendable {
        /// The member; nil for nobody.
        public var owner: String?
        /// Counts acquisitions, from 0. Whoever wrote under a lower one is refused.
        public var epoch: Int

        /// A title; by default that of a partition that nobody ever owned.
        public init(owner: String? = nil, epoch: Int = 0) {
            self.owner = owner
            self.epoch = epoch
        }
    }

    /// The members whose leases have not run out.
    public var live: Set<String>
    /// The titles, by partition.
    public var titles: [Title]

    /// A roll of its parts.
    public init(live: Set<String>, titles: [Title]) {
        self.live = live
        self.titles = titles
    }
}
