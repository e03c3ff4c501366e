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
    /// The members that are to own nothing, also such as are not there.
    public var draining: Set<String>
    /// The number of the last request to reload; 0 before the first.
    public var reload: Int
    /// The digests of the plugins of the live members, by name.
    public var digests: [String: String]

    /// A roll of its parts.
    public init(
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
