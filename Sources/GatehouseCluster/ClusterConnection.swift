// SPDX-License-Identifier: Apache-2.0

/// A connection to a cluster, made on first use and again after it was lost.
///
/// Belongs to one thread at a time, as its engine does.
package final class ClusterConnection {
    /// Makes connections.
    private let cluster: any Cluster
    /// The engine at the other end; nil before the first use, and after the connection was lost.
    private var engine: (any ClusterEngine)?

    /// Creates a connection that is not open yet.
    package init(to cluster: any Cluster) { self.cluster = cluster }

    /// Whether the connection is open, as far as known.
    package var isOpen: Bool { engine != nil }

    /// Runs a closure with the engine.
    ///
    /// - Throws: why there is no connection, or what `body` throws; after ``ClusterFailure/lost(_:)`` the
    ///   outcome is unknown, and the next use makes another connection.
    package func use<Answer>(
        _ body: (any ClusterEngine) throws(ClusterFailure) -> Answer
    ) throws(ClusterFailure) -> Answer {
        do throws(ClusterFailure) {
            return try body(open())
        } catch {
            if error.endsConnection { engine = nil }
            throw error
        }
    }

    /// Runs a closure that may run twice: a connection that was lost since its last use is found out by the next one.
    ///
    /// - Throws: as ``use(_:)`` does, when it was not that, or the second time fails as well.
    package func useRepeatably<Answer>(
        _ body: (any ClusterEngine) throws(ClusterFailure) -> Answer
    ) throws(ClusterFailure) -> Answer {
        let wasOpen = isOpen
        do throws(ClusterFailure) {
            return try use(body)
        } catch {
            guard wasOpen, case .lost = error else { throw error }
            return try use(body)
        }
    }

    /// Returns the engine of this connection, or of a new one.
    private func open() throws(ClusterFailure) -> any ClusterEngine {
        if let engine { return engine }
        let made = try cluster.connect()
        engine = made
        return made
    }
}
