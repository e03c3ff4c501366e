// SPDX-License-Identifier: Apache-2.0

/// An action that was set aside, because it ends whoever processes it.
public struct ClusterDeadLetter: Equatable, Sendable {
    /// Its partition.
    public var partition: Int
    /// Where it stood there.
    public var offset: ClusterOffset
    /// Who had put it there; nil if it was put there by hand.
    public var origin: ClusterOrigin?
    /// The action in wire form.
    public var action: [UInt8]
    /// Why it was set aside, in a sentence.
    public var reason: String
    /// The member that set it aside.
    public var member: String
    /// When it did, in seconds since 1970.
    public var time: Double

    /// A dead letter of its parts.
    public init(
        partition: Int, offset: ClusterOffset, origin: ClusterOrigin?, action: [UInt8], reason: String,
        member: String, time: Double
    ) {
        self.partition = partition
        self.offset = offset
        self.origin = origin
        self.action = action
        self.reason = reason
        self.member = member
        self.time = time
    }
}
