// SPDX-License-Identifier: Apache-2.0

/// The server that a process writes a cluster to.
package struct ClusterServer: Equatable, Sendable {
    /// Its address, which Sentinels may have named.
    package var address: String
    /// When this process began to use it.
    package var since: ContinuousClock.Instant
    /// How many of its replicas must have what it confirms.
    package var replicas: Int
    /// The address of the server that it has replaced; nil for the first one of this process, and for the same one after a restart.
    package var former: String?

    /// Creates a server from what is known about it.
    package init(address: String, since: ContinuousClock.Instant, replicas: Int, former: String? = nil) {
        self.address = address
        self.since = since
        self.replicas = replicas
        self.former = former
    }
}
