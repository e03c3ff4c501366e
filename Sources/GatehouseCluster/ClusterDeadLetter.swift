// SPDX-License-Identifier: Apache-2.0

/// An action skipped because it ends the hosts that process it.
package struct ClusterDeadLetter: Equatable, Sendable {
    /// The partition of the action.
    package var partition: Int
    /// Its offset there.
    package var offset: ClusterOffset
    /// Who appended it; nil if it was appended by hand.
    package var origin: ClusterOrigin?
    /// The action in wire form.
    package var action: [UInt8]
    /// Why it was skipped, as a sentence.
    package var reason: String
    /// The member that skipped it.
    package var member: String
    /// When it was skipped, in seconds since 1970.
    package var time: Double

    /// Creates a dead letter from its parts.
    package init(
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
