// SPDX-License-Identifier: Apache-2.0

/// A connection to a cluster that is made when it is first used, and made anew after it was lost.
///
/// Belongs to one thread at a time, as the engine behind it does.
public final class ClusterConnection {
    /// Makes connections.
    private let cluster: any Cluster
    /// The engine at the other end; nil before the first use, and after the connection was lost.
    private var engine: (any ClusterEngine)?

    /// A connection that is not there yet.
    public init(to cluster: any Cluster) { self.cluster = cluster }

    /// Whether it is there, as far as is known.
    public var isOpen: Bool { engine != nil }

    /// Does something by the connection.
    ///
    /// - Throws: why there is none, or what `body` throws; whether that was done is not known after
    ///   ``ClusterFailure/lost(_:)``, and the next use makes another connection.
    public func use<Answer>(
        _ body: (any ClusterEngine) throws(ClusterFailure) -> Answer
    ) throws(ClusterFailure) -> Answer {
        do throws(ClusterFailure) {
            return try body(open())
        } catch {
            if error.endsConnection { engine = nil }
            throw error
        }
    }

    /// The engine at the other end of this connection, or of a new one.
    private func open() throws(ClusterFailure) -> any ClusterEngine {
        if let engine { return engine }
        let made = try cluster.connect()
        engine = made
        return made
    }
}
