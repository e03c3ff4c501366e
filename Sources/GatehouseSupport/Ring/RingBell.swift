// SPDX-License-Identifier: Apache-2.0

internal import CLinux
private import Glibc

/// Wakes a thread that waits for the other side of a connection, from within its own process.
@safe package final class RingBell {
    /// The word on which the thread sleeps.
    private let bell: UnsafeMutablePointer<gatehouse_bell>

    /// A bell that was never rung.
    ///
    /// - Parameter isAlone: whether to wait as where nobody can wait for several words, which is found out otherwise.
    package init(isAlone: Bool = false) {
        unsafe bell = .allocate(capacity: 1)
        unsafe bell.initialize(to: gatehouse_bell(count: 0, waiting: 0, is_alone: isAlone ? 1 : 0))
    }

    deinit { unsafe bell.deallocate() }

    /// Ends the wait that is under way, or the next one of a thread that has not heard it.
    package func ring() { unsafe gatehouse_bell_ring(bell) }

    /// How often it was rung; to be looked at before what it may have been rung for.
    package var count: UInt32 { unsafe gatehouse_bell_count(bell) }

    /// Waits until the reader has bytes or the bell is rung.
    ///
    /// May also return without a reason, which the other side can cause: whoever has a deadline looks at a clock of its own.
    ///
    /// - Parameters:
    ///   - room: the wait ends also when the other side has taken something since this was noted.
    ///   - heard: the count that the caller has acted on.
    ///   - spins: how often to look before the thread sleeps; each takes some 10 ns, and a thread some 30 µs to wake up.
    ///   - limit: how long to wait at most; nil for as long as it takes.
    /// - Returns: false only when the time is over.
    /// - Throws: what the kernel cannot do.
    package func wait(
        for reader: borrowing RingReader, or room: borrowing RingRoom, heard: UInt32, spins: Int,
        atMost limit: Duration? = nil
    ) throws(RingFailure) -> Bool {
        var ends = unsafe (reader: reader.end, writer: room.end)
        return try outcome(
            unsafe gatehouse_ring_wait(
                &ends.reader, &ends.writer, bell, heard, UInt32(spins), Self.nanoseconds(limit)))
    }

    /// The same without room.
    package func wait(
        for reader: borrowing RingReader, heard: UInt32, spins: Int, atMost limit: Duration? = nil
    ) throws(RingFailure) -> Bool {
        var end = unsafe reader.end
        return try outcome(
            unsafe gatehouse_ring_wait(&end, nil, bell, heard, UInt32(spins), Self.nanoseconds(limit)))
    }

    /// Waits a moment for more to come, unless the bell is rung; never sleeps.
    ///
    /// - Parameters:
    ///   - count: so many bytes are enough.
    ///   - spins: how often to look.
    package func linger(for reader: borrowing RingReader, heard: UInt32, bytes count: Int, spins: Int) {
        var end = unsafe reader.end
        unsafe gatehouse_ring_linger(&end, bell, heard, UInt64(count), UInt32(spins))
    }

    /// Publishes what the writer was given, and waits until the other side has taken something or the bell is rung.
    package func wait(
        forRoomIn writer: inout RingWriter, heard: UInt32, spins: Int, atMost limit: Duration? = nil
    ) throws(RingFailure) -> Bool {
        writer.publish()
        return try outcome(
            unsafe gatehouse_ring_wait(
                nil, &writer.end, bell, heard, UInt32(spins), Self.nanoseconds(limit)))
    }

    /// What a return value means.
    private func outcome(_ code: Int32) throws(RingFailure) -> Bool {
        guard code != 0 else { return true }
        guard code == -ETIMEDOUT else { throw RingFailure("futex_waitv", code) }
        return false
    }

    /// A limit for the function in C.
    private static func nanoseconds(_ limit: Duration?) -> Int64 {
        guard let limit else { return -1 }
        return Int64(max(0, min(limit / .nanoseconds(1), 1e18)))
    }
}

// The pointer never changes, and what it leads to is used by atomic operations alone.
extension RingBell: @unchecked Sendable {}
