// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseSupport

/// What one side of a ring cannot do to the other: write its memory, take memory away, or make it believe a position.
@Suite(.timeLimit(.minutes(10))) struct RingTrustTests {
    private let capacity = 4_096

    /// The error number of a call that failed; 0 for one that did not.
    private func code(_ call: () -> Bool) -> Int32 { call() ? 0 : errno }

    // MARK: - Files

    @Test func `a file cannot be mapped by the other side before its owner has sealed it`() throws {
        let file = try RingFile(named: "ring", capacity: capacity)
        #expect(throws: RingFailure.unsealed) { try RingMemory(other: file) }
        let own = try RingMemory(own: file)
        _ = try RingMemory(other: file)
        withExtendedLifetime(own) {}
    }

    @Test func `a file has one owner`() throws {
        let file = try RingFile(named: "ring", capacity: capacity)
        let own = try RingMemory(own: file)
        #expect(throws: RingFailure.unsealed) { try RingMemory(own: file) }
        withExtendedLifetime(own) {}
    }

    @Test func `nobody changes the size of a file`() throws {
        let file = try RingFile(named: "ring", capacity: capacity)
        #expect(code { ftruncate(file.descriptor, 0) == 0 } == EPERM)
        #expect(code { ftruncate(file.descriptor, 1 << 20) == 0 } == EPERM)
    }

    @Test func `nobody but its owner writes to a file`() throws {
        let file = try RingFile(named: "ring", capacity: capacity)
        let own = try RingMemory(own: file)
        let byte: [UInt8] = [1]
        #expect(code { unsafe pwrite(file.descriptor, byte, 1, 0) == 1 } == EPERM)
        #expect(
            code {
                unsafe mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0) != MAP_FAILED
            } == EPERM)
        let map = unsafe mmap(nil, 4_096, PROT_READ, MAP_SHARED, file.descriptor, 0)
        #expect(code { unsafe mprotect(map, 4_096, PROT_READ | PROT_WRITE) == 0 } == EACCES)
        #expect(code { unsafe madvise(map, 4_096, MADV_REMOVE) == 0 } == EACCES)
        // Nor does the owner make holes any more.
        #expect(code { unsafe madvise(own.start, 4_096, MADV_REMOVE) == 0 } == EPERM)
        unsafe munmap(map, 4_096)
        withExtendedLifetime(own) {}
    }

    @Test func `a file with holes, which could be missing memory, is refused`() throws {
        let file = try RingFile(named: "ring", capacity: capacity)
        let size = 4_096 + capacity
        let map = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0)
        #expect(code { unsafe madvise(map, 4_096, MADV_REMOVE) == 0 } == 0)
        #expect(throws: RingFailure.misfit) { try RingMemory(own: file) }
        // The other side does not look at its own file.
        #expect(fcntl(file.descriptor, 1_033, 0x11) == 0)
        #expect(throws: RingFailure.misfit) { try RingMemory(other: file) }
        unsafe munmap(map, size)
    }

    @Test func `a file of another size, or of another kind, is refused`() throws {
        let file = try RingFile(named: "ring", capacity: capacity)
        let other = RingFile(inheriting: dup(file.descriptor), capacity: 2 * capacity)
        #expect(throws: RingFailure.misfit) { try RingMemory(own: other) }
        let null = RingFile(inheriting: unsafe open("/dev/null", O_RDWR), capacity: capacity)
        #expect(throws: RingFailure.unsealed) { try RingMemory(own: null) }
        #expect(throws: RingFailure.unsealed) { try RingMemory(other: null) }
    }

    @Test(arguments: [0, 2_048, 5_000, 1 << 31])
    func `a capacity that is no power of two in range is refused`(
        capacity: Int
    ) {
        #expect(throws: RingFailure.system(call: "memfd_create", SystemFailure(code: EINVAL))) {
            _ = try RingFile(named: "ring", capacity: capacity)
        }
    }

    // MARK: - Positions

    @Test(arguments: [4_097, UInt64.max, 1 << 40]) func `more bytes than there is memory for are a lie`(
        sent: UInt64
    ) throws {
        let pair = try RingPair(capacity: capacity)
        var reader = pair.reader()
        pair.lie(sent: sent)
        var bytes: [UInt8] = []
        #expect(throws: RingFailure.broken) { try reader.take(into: &bytes, atMost: 10) }
        #expect(bytes == [])
    }

    @Test func `a ring can be full to its last byte`() throws {
        let pair = try RingPair(capacity: capacity)
        var reader = pair.reader()
        pair.lie(sent: 4_096)
        var bytes: [UInt8] = []
        #expect(try reader.take(into: &bytes, atMost: 1 << 16) == 4_096)
    }

    @Test(arguments: [99, 9] as [UInt64]) func `bytes that were sent cannot be taken back`(sent: UInt64)
        throws
    {
        let pair = try RingPair(capacity: capacity)
        var reader = pair.reader()
        pair.lie(sent: 100)
        var bytes: [UInt8] = []
        #expect(try reader.take(into: &bytes, atMost: 10) == 10)
        pair.lie(sent: sent)
        #expect(throws: RingFailure.broken) { try reader.take(into: &bytes, atMost: 10) }
        // Nothing is believed any more.
        pair.lie(sent: 100)
        #expect(throws: RingFailure.broken) { try reader.take(into: &bytes, atMost: 10) }
        #expect(bytes.count == 10)
    }

    @Test func `bytes that are not published cannot be taken`() throws {
        let pair = try RingPair(capacity: capacity)
        var writer = pair.writer()
        #expect(try writer.put([1, 2, 3].span) == 3)
        pair.lie(taken: 1)
        #expect(throws: RingFailure.broken) { try writer.room }
        writer.publish()
        #expect(throws: RingFailure.broken) { try writer.room }
        #expect(throws: RingFailure.broken) { try writer.put([1].span) }
    }

    @Test func `more bytes than were sent cannot be taken`() throws {
        let pair = try RingPair(capacity: capacity)
        var writer = pair.writer()
        #expect(try writer.put([1, 2, 3].span) == 3)
        writer.publish()
        pair.lie(taken: 3)
        #expect(try writer.room == 4_096)
        pair.lie(taken: 4)
        #expect(throws: RingFailure.broken) { try writer.room }
    }

    @Test func `bytes that were taken cannot be given back`() throws {
        let pair = try RingPair(capacity: capacity)
        var writer = pair.writer()
        #expect(try writer.put([UInt8](repeating: 7, count: 4_096).span) == 4_096)
        writer.publish()
        pair.lie(taken: 2)
        #expect(try writer.room == 2)
        pair.lie(taken: 1)
        #expect(throws: RingFailure.broken) { try writer.put([UInt8](repeating: 7, count: 9).span) }
    }

    @Test func `each failure says what is wrong`() {
        #expect("\(RingFailure.unsealed)" == "memory that only its owner may write is not sealed")
        #expect("\(RingFailure.misfit)" == "shared memory does not have the size that was agreed on")
        #expect(
            "\(RingFailure.broken)"
                == "a position in shared memory went back, or beyond the memory")
        #expect("\(RingFailure("futex_waitv", -EPERM))" == "futex_waitv: Operation not permitted")
        #expect(
            "\(RingFailure.system(call: "futex_waitv", SystemFailure(code: ENOSYS)))"
                == "futex_waitv: Function not implemented")
    }
}
