// SPDX-License-Identifier: Apache-2.0

/// What keeps the partitions of a cluster: six calls, each of which happens whole or not at all.
///
/// `EngineConformanceTests` say what each implementation must hold. One object belongs to one thread at a time; several may speak to
/// the same cluster.
public protocol ClusterEngine: AnyObject {
    /// Puts actions behind all others of their partitions, in this order; when it returns, they are kept.
    func append(_ actions: [(partition: Int, action: [UInt8])]) throws(ClusterFailure)

    /// The actions of partitions behind an offset each, at most so many of each; waits up to a time for the first one.
    func read(_ offsets: [Int: ClusterOffset], atMost count: Int, waiting: Duration) throws(ClusterFailure)
        -> [Int: [ClusterEntry]]

    /// Moves a partition on: state, offset, and what it has for other partitions, all together.
    ///
    /// - Returns: nil when it is written; otherwise the title that stands against it, and nothing was written.
    func checkpoint(_ checkpoint: ClusterCheckpoint) throws(ClusterFailure) -> ClusterRoll.Title?

    /// Gives a partition to a member that lives, if its epoch is still the one that the member knows and its owner, if any, does not live.
    func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition

    /// Takes a member for alive for the time of a lease, and tells who is there and who owns what.
    func renew(_ member: String, for lease: Duration) throws(ClusterFailure) -> ClusterRoll

    /// Takes a partition back from the member that owns it under an epoch; nothing happens if it does not.
    func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure)
}

/// A place in the order of a partition's actions; what it means is the engine's own.
public struct ClusterOffset: Hashable, Sendable, CustomStringConvertible {
    /// The text of the engine.
    public let description: String

    /// The place that an engine names like this.
    public init(_ description: String) { self.description = description }
}

/// An action of a partition.
public struct ClusterEntry: Equatable, Sendable {
    /// Its place.
    public let offset: ClusterOffset
    /// The partition that it comes from, with its epoch and the number there; nil for one that came from outside.
    public let origin: String?
    /// The action in wire form.
    public let action: [UInt8]

    /// An entry of its parts.
    public init(offset: ClusterOffset, origin: String?, action: [UInt8]) {
        self.offset = offset
        self.origin = origin
        self.action = action
    }
}

/// What is written when a partition moves on.
public struct ClusterCheckpoint: Equatable, Sendable {
    /// The partition.
    public var partition: Int
    /// Who writes it.
    public var member: String
    /// The epoch under which it does.
    public var epoch: Int
    /// Up to where it is processed.
    public var offset: ClusterOffset
    /// The slices that have changed since the last one.
    public var slices: [String: [UInt8]]
    /// What it has for other partitions, in order.
    public var outputs: [Output]

    /// An action for another partition.
    public struct Output: Equatable, Sendable {
        /// The partition that it is for.
        public var partition: Int
        /// What tells it from all others of this partition.
        public var origin: String
        /// The action in wire form.
        public var action: [UInt8]

        /// An output of its parts.
        public init(partition: Int, origin: String, action: [UInt8]) {
            self.partition = partition
            self.origin = origin
            self.action = action
        }
    }

    /// A checkpoint of its parts.
    public init(
        partition: Int, member: String, epoch: Int, offset: ClusterOffset, slices: [String: [UInt8]] = [:],
        outputs: [Output] = []
    ) {
        self.partition = partition
        self.member = member
        self.epoch = epoch
        self.offset = offset
        self.slices = slices
        self.outputs = outputs
    }
}

/// What becomes of the wish for a partition.
public enum ClusterAcquisition: Equatable, Sendable {
    /// It belongs to the member, which goes on from here.
    case granted(epoch: Int, offset: ClusterOffset, slices: [String: [UInt8]])
    /// It does not; this is its title.
    case refused(ClusterRoll.Title)
}

/// Why an engine did not do what was asked of it.
public enum ClusterFailure: Error, Equatable, Sendable {
    /// The library that speaks to the engine cannot be had; in the words of the system.
    case missing(String)
    /// The connection is of no use any more; whether the last call was done is not known.
    case lost(String)
    /// The engine said no, for this reason, and nothing was done.
    case refused(String)
}
