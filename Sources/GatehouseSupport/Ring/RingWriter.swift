// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The writing end of a connection through shared memory: a stream of bytes, like a pipe that never blocks.
///
/// One thread uses it at a time. Costs a copy, and a system call only when the other side sleeps.
@safe package struct RingWriter: ~Copyable {
    /// The positions, as this side knows them.
    var end: gatehouse_ring_writer
    /// What they point to.
    private let memory: (own: RingMemory, other: RingMemory)

    /// An end that writes to its own memory, and learns from the other's how far that has read. There is one for each connection.
    package init(own: RingMemory, other: RingMemory) {
        memory = (own, other)
        unsafe end = gatehouse_ring_writer()
        unsafe end.own = own.start
        unsafe end.other = UnsafeRawPointer(other.start)
        unsafe end.capacity = own.capacity
    }

    /// The bytes for which there is room now.
    ///
    /// - Throws: `broken`, and from then on always.
    package var room: Int {
        mutating get throws(RingFailure) {
            let room = unsafe gatehouse_ring_room(&end)
            guard room >= 0 else { throw RingFailure("take", room) }
            return Int(room)
        }
    }

    /// Adds the first of some bytes, as many as there is room for; `publish` lets the other side see them.
    ///
    /// - Returns: how many.
    /// - Throws: `broken`, and from then on always.
    package mutating func put(_ bytes: Span<UInt8>) throws(RingFailure) -> Int {
        let count = unsafe bytes.withUnsafeBufferPointer {
            unsafe gatehouse_ring_put(&end, $0.baseAddress, $0.count)
        }
        guard count >= 0 else { throw RingFailure("put", count) }
        return Int(count)
    }

    /// Lets the other side see all that was put, and wakes it if it sleeps.
    package mutating func publish() { unsafe gatehouse_ring_publish(&end) }
}

// The pointers lead into memory that the value holds, and whose functions any thread may call; the value itself cannot be copied.
extension RingWriter: @unchecked Sendable {}

/// Waits for room on another thread than the one that writes.
@safe package struct RingRoom: ~Copyable {
    /// The positions, as last noted.
    var end: gatehouse_ring_writer
    /// What they point to.
    private let memory: (own: RingMemory, other: RingMemory)

    /// Waits for room for a writer of the same memory.
    package init(own: RingMemory, other: RingMemory) {
        let writer = RingWriter(own: own, other: other)
        unsafe end = writer.end
        memory = (own, other)
    }

    /// Takes over what the writer knows, which must have published all it was given: any room that comes after that ends a wait.
    package mutating func note(_ writer: borrowing RingWriter) { unsafe end.taken = unsafe writer.end.taken }
}

// As above.
extension RingRoom: @unchecked Sendable {}
