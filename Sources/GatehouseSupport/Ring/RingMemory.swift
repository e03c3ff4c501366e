// SPDX-License-Identifier: Apache-2.0

internal import CLinux
private import Glibc

/// The file in memory that one side of a connection writes: what it has sent, and how far it has read.
///
/// The side that trusts nobody creates both files, maps its own, which seals it, and only then gives both to the other. That one maps
/// its own, and when it says so, each side maps the file of the other for reading.
package struct RingFile: ~Copyable {
    /// Where it is open; closed with this value.
    package let descriptor: Int32
    /// The bytes for data.
    package let capacity: Int

    /// Creates a file whose size nobody can change.
    ///
    /// - Parameter capacity: the bytes for data, a power of two from 4,096 to 2³⁰. They are taken from the system at once.
    package init(named name: String, capacity: Int) throws(RingFailure) {
        let file = unsafe gatehouse_ring_create(name, capacity)
        guard file >= 0 else { throw RingFailure("memfd_create", file) }
        descriptor = file
        self.capacity = capacity
    }

    /// Takes over a file that another process made.
    package init(inheriting descriptor: Int32, capacity: Int) {
        self.descriptor = descriptor
        self.capacity = capacity
    }

    deinit { close(descriptor) }
}

/// A file of a connection in the memory of this process, as long as somebody holds it.
@safe package final class RingMemory {
    /// The beginning of the map.
    let start: UnsafeMutableRawPointer
    /// The bytes for data.
    let capacity: Int

    /// The file of this side, which nobody can map for writing after this.
    ///
    /// Whoever has mapped it for writing before can still write, so call this before the other side has the descriptor.
    /// - Throws: `unsealed` for a file that somebody has sealed before; `misfit`, and what the system refuses.
    package init(own file: borrowing RingFile) throws(RingFailure) {
        var map: UnsafeMutableRawPointer?
        let code = unsafe gatehouse_ring_map_own(file.descriptor, file.capacity, &map)
        guard code == 0, let map = unsafe map else { throw RingFailure(RingFailure.map, code) }
        unsafe start = map
        capacity = file.capacity
    }

    /// The file of the other side, for reading.
    ///
    /// - Throws: `unsealed` as long as that side has not mapped it; `misfit`, and what the system refuses.
    package init(other file: borrowing RingFile) throws(RingFailure) {
        var map: UnsafeRawPointer?
        let code = unsafe gatehouse_ring_map_other(file.descriptor, file.capacity, &map)
        guard code == 0, let map = unsafe map else { throw RingFailure(RingFailure.map, code) }
        unsafe start = UnsafeMutableRawPointer(mutating: map)
        capacity = file.capacity
    }

    deinit { unsafe gatehouse_ring_unmap(start, capacity) }
}

// The pointer never changes. What it leads to is read and written by the functions of gatehouse_ring.c alone, by atomic operations for
// positions, and for data only where these give one side the right to it.
extension RingMemory: @unchecked Sendable {}
