// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The reading end of a connection through shared memory.
///
/// One thread uses it at a time. All bytes are copied out before anybody looks at them, since the other side can change them at any
/// time.
@safe package struct RingReader: ~Copyable {
    /// The positions, as this side knows them.
    var end: gatehouse_ring_reader
    /// What they point to.
    private let memory: (own: RingMemory, other: RingMemory)

    /// An end that reads the other's memory, and publishes in its own how far it has read. There is one for each connection.
    package init(own: RingMemory, other: RingMemory) {
        memory = (own, other)
        unsafe end = gatehouse_ring_reader()
        unsafe end.own = own.start
        unsafe end.other = UnsafeRawPointer(other.start)
        unsafe end.capacity = other.capacity
    }

    /// Adds the bytes that are there to others, at most `limit`, and wakes the other side if it waits for room.
    ///
    /// - Returns: how many; 0 when there are none.
    /// - Throws: `broken`, and from then on always.
    package mutating func take(into bytes: inout [UInt8], atMost limit: Int) throws(RingFailure) -> Int {
        var count: Int64 = 0
        bytes.append(addingCapacity: min(limit, memory.other.capacity)) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, used in
                count = unsafe gatehouse_ring_take(&end, room.baseAddress, room.count)
                used = max(0, Int(count))
            }
        }
        guard count >= 0 else { throw RingFailure("take", count) }
        return Int(count)
    }
}

// The pointers lead into memory that the value holds, and whose functions any thread may call; the value itself cannot be copied.
extension RingReader: @unchecked Sendable {}
