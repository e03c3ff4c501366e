// SPDX-License-Identifier: Apache-2.0

/// An action of a partition, while it is shown: its bytes belong to the engine's answer and are gone when the call that shows it returns.
@safe public struct ClusterEntry: ~Copyable {
    /// Its place.
    public let offset: ClusterOffset
    /// Who has put it there; nil when it was put there by hand, or what says it cannot be read.
    public let origin: ClusterOrigin?
    /// The action in wire form; empty when whoever put it there by hand gave none.
    @unsafe public let action: UnsafeRawBufferPointer

    /// An entry of its parts, for engines.
    @unsafe public init(offset: ClusterOffset, origin: ClusterOrigin?, action: UnsafeRawBufferPointer) {
        self.offset = offset
        self.origin = origin
        unsafe self.action = unsafe action
    }
}
