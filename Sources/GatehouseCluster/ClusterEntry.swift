// SPDX-License-Identifier: Apache-2.0

/// An action of a partition while it is read: its bytes belong to the engine's answer and are invalid after the call that passes it.
@safe package struct ClusterEntry: ~Copyable {
    /// The action's offset.
    package let offset: ClusterOffset
    /// Who appended it; nil when it was appended by hand, or its origin cannot be read.
    package let origin: ClusterOrigin?
    /// The action in wire form; empty when it was appended by hand without one.
    @unsafe package let action: UnsafeRawBufferPointer

    /// Creates an entry from its parts, for engines.
    @unsafe package init(offset: ClusterOffset, origin: ClusterOrigin?, action: UnsafeRawBufferPointer) {
        self.offset = offset
        self.origin = origin
        unsafe self.action = unsafe action
    }
}
