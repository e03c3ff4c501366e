// SPDX-License-Identifier: Apache-2.0

/// An action set aside because it ends the hosts that process it.
public struct ClusterDeadLetter: Equatable, Sendable {
    /// The partition of the action.
    public var partition: Int
    /// Its offset there.
    public var offset: ClusterOffset
    /// Who appended it; nil if it was appended by hand.
    public var origin: ClusterOrigin?
    /// The action in wire form.
    public var action: [UInt8]
    /// Why it was set aside, as a sentence.
    public var reason: String
    /// The member that set it aside.
    public var member: String
    /// When it was set aside, in seconds since 1970.
    public var time: Double

    /// Creates a dead letter from its parts.
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
