// SPDX-License-Identifier: Apache-2.0

/// An action of a partition, while it is shown: its bytes belong to the engine's answer and are gone when the call that shows it returns.
@safe public struct ClusterEntry: ~Copyable {
    /// Its place.
    public let offset: ClusterOffset
    /// The origin as it is kept; empty when it was put there by hand.
    @unsafe public let originBytes: UnsafeRawBufferPointer
    /// The action in wire form; empty when whoever put it there by hand gave none.
    @unsafe public let action: UnsafeRawBufferPointer

    /// An entry of its parts, for engines.
    @unsafe public init(
        offset: ClusterOffset, originBytes: UnsafeRawBufferPointer, action: UnsafeRawBufferPointer
    ) {
        self.offset = offset
        unsafe self.originBytes = unsafe originBytes
        unsafe self.action = unsafe action
    }

    /// Who has put it there, read anew each time; nil when it was put there by hand, or the text is none.
    public var origin: ClusterOrigin? { unsafe ClusterOrigin(bytes: originBytes) }
}
