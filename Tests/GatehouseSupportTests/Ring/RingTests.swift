// SPDX-License-Identifier: Apache-2.0

import CLinux
import GatehouseHostTesting
import SeededTesting
import Synchronization
import Testing

@testable import GatehouseSupport

/// A stream of bytes between two sides that share memory.
@Suite(.timeLimit(.minutes(10))) struct RingTests {
    /// Bytes that differ from their neighbours at any distance that is no multiple of 251.
    private func pattern(_ range: Range<Int>) -> [UInt8] { range.map { UInt8($0 % 251) } }

    /// Takes all that is there.
    private func all(_ reader: inout RingReader) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while try reader.take(into: &bytes, atMost: 1 << 16) > 0 {}
        return bytes
    }

    @Test func `bytes come out in the order in which they went in`() throws {
        let pair = try RingPair()
        var writer = pair.writer()
        var reader = pair.reader()
        #expect(try writer.put([1, 2, 3].span) == 3)
        #expect(try writer.put([4].span) == 1)
        writer.publish()
        #expect(try all(&reader) == [1, 2, 3, 4])
        #expect(try all(&reader) == [])
    }

    @Test func `nobody sees bytes that were not published`() throws {
        let pair = try RingPair()
        var writer = pair.writer()
        var reader = pair.reader()
        #expect(try writer.put([1].span) == 1)
        #expect(try all(&reader) == [])
        writer.publish()
        #expect(try all(&reader) == [1])
    }

    @Test func `a full ring takes what it has room for, and goes on where bytes were taken`() throws {
        let pair = try RingPair(capacity: 4_096)
        var writer = pair.writer()
        var reader = pair.reader()
        let bytes = pattern(0..<5_000)
        #expect(try writer.room == 4_096)
        #expect(try writer.put(bytes.span) == 4_096)
        #expect(try writer.room == 0)
        #expect(try writer.put([9].span) == 0)
        writer.publish()
        var taken: [UInt8] = []
        #expect(try reader.take(into: &taken, atMost: 100) == 100)
        #expect(try writer.room == 100)
        #expect(try writer.put(Array(bytes[4_096...]).span) == 100)
        writer.publish()
        taken += try all(&reader)
        #expect(taken == pattern(0..<4_196))
    }

    @Test(arguments: [911, 912, 913] as [UInt64])
    func `any parts on both sides make the same stream`(seed: UInt64) throws {
        let pair = try RingPair(capacity: 4_096)
        var writer = pair.writer()
        var reader = pair.reader()
        var random = SeededGenerator(seed: seed)
        var (sent, taken): (Int, [UInt8]) = (0, [])
        while sent < 1 << 20 {
            let part = pattern(sent..<sent + Int.random(in: 0...6_000, using: &random))
            sent += try writer.put(part.span)
            if Bool.random(using: &random) { writer.publish() }
            _ = try reader.take(into: &taken, atMost: Int.random(in: 0...6_000, using: &random))
        }
        writer.publish()
        taken += try all(&reader)
        #expect(taken == pattern(0..<sent))
    }

    @Test(arguments: [0, 1_000], [false, true])
    func `two threads that sleep and wake pass a stream on`(spins: Int, isAlone: Bool) throws {
        let pair = try RingPair(capacity: 4_096)
        let (own, other) = (pair.ownThere, pair.otherHere)
        let total = 1 << 21
        let received = Mutex<Result<[UInt8], any Error>?>(nil)
        let end = RingBell(isAlone: isAlone)
        let begun = BackgroundThread.start {
            var reader = RingReader(own: own, other: other)
            var bytes: [UInt8] = []
            let bell = RingBell(isAlone: isAlone)
            let result = Result {
                while bytes.count < total {
                    if try reader.take(into: &bytes, atMost: 3_000) == 0 {
                        _ = try bell.wait(for: reader, heard: 0, spins: spins)
                    }
                }
                return bytes
            }
            received.withLock { $0 = result }
            end.ring()
        }
        #expect(begun)
        var writer = pair.writer()
        let bytes = pattern(0..<total)
        var sent = 0
        // Where the reader fails, nothing makes room any more.
        while sent < total, end.count == 0 {
            let part = min(total, sent + 1_700)
            let count = try writer.put(bytes.span.extracting(sent..<part))
            writer.publish()
            sent += count
            if count == 0 { _ = try end.wait(forRoomIn: &writer, heard: 0, spins: spins) }
        }
        let nothing = pair.idle()
        while end.count == 0 { _ = try end.wait(for: nothing, heard: 0, spins: 0) }
        let result = received.withLock { $0 }
        #expect(try result?.get() == bytes)
    }

    // MARK: - Waiting

    @Test(arguments: [false, true])
    func `bytes that are there end a wait at once`(isAlone: Bool) throws {
        let pair = try RingPair()
        var writer = pair.writer()
        let reader = pair.reader()
        #expect(try writer.put([1].span) == 1)
        writer.publish()
        #expect(try RingBell(isAlone: isAlone).wait(for: reader, heard: 0, spins: 0))
    }

    @Test(arguments: [false, true])
    func `bytes that are taken end a wait for room`(isAlone: Bool) throws {
        let pair = try RingPair()
        var writer = pair.writer()
        var reader = pair.reader()
        let nothing = pair.idle()
        #expect(try writer.put(pattern(0..<4_096).span) == 4_096)
        writer.publish()
        var room = RingRoom(own: pair.ownHere, other: pair.otherThere)
        room.note(writer)
        let bell = RingBell(isAlone: isAlone)
        #expect(try !bell.wait(for: nothing, or: room, heard: 0, spins: 0, atMost: .milliseconds(1)))
        #expect(try !bell.wait(forRoomIn: &writer, heard: 0, spins: 0, atMost: .milliseconds(1)))
        #expect(try all(&reader).count == 4_096)
        #expect(try bell.wait(for: nothing, or: room, heard: 0, spins: 0))
        #expect(try bell.wait(forRoomIn: &writer, heard: 0, spins: 0))
        #expect(try writer.room == 4_096)
        room.note(writer)
        #expect(try !bell.wait(for: nothing, or: room, heard: 0, spins: 0, atMost: .milliseconds(1)))
    }

    @Test(arguments: [false, true])
    func `whoever waits for room has published what the other side is to take`(isAlone: Bool) throws {
        let pair = try RingPair()
        var writer = pair.writer()
        var reader = pair.reader()
        #expect(try writer.put(pattern(0..<4_096).span) == 4_096)
        #expect(try !RingBell(isAlone: isAlone).wait(forRoomIn: &writer, heard: 0, spins: 0, atMost: .zero))
        #expect(try all(&reader).count == 4_096)
    }

    @Test(arguments: [false, true])
    func `a wait ends when its time is over`(isAlone: Bool) throws {
        let reader = try RingPair().reader()
        #expect(
            try !RingBell(isAlone: isAlone).wait(for: reader, heard: 0, spins: 10, atMost: .milliseconds(1)))
        #expect(try !RingBell(isAlone: isAlone).wait(for: reader, heard: 0, spins: 0, atMost: .zero))
        #expect(try !RingBell(isAlone: isAlone).wait(for: reader, heard: 0, spins: 0, atMost: .seconds(-1)))
    }

    @Test(arguments: [false, true])
    func `a bell that was rung before ends the wait of whoever has not heard it`(isAlone: Bool) throws {
        let reader = try RingPair().reader()
        let bell = RingBell(isAlone: isAlone)
        bell.ring()
        #expect(bell.count == 1)
        #expect(try bell.wait(for: reader, heard: 0, spins: 0))
        #expect(try !bell.wait(for: reader, heard: 1, spins: 0, atMost: .milliseconds(1)))
    }

    @Test(arguments: [false, true])
    func `a bell wakes a thread that sleeps`(isAlone: Bool) throws {
        let pair = try RingPair()
        let (own, other) = (pair.ownThere, pair.otherHere)
        let (bell, done) = (RingBell(isAlone: isAlone), RingBell(isAlone: isAlone))
        let begun = BackgroundThread.start {
            let reader = RingReader(own: own, other: other)
            while bell.count == 0 { _ = try? bell.wait(for: reader, heard: 0, spins: 0) }
            done.ring()
        }
        #expect(begun)
        while pair.sleeps == 0 {}
        bell.ring()
        let nothing = pair.idle()
        while done.count == 0 { _ = try done.wait(for: nothing, heard: 0, spins: 0) }
        #expect(pair.sleeps == 2)
    }

    @Test func `a sleep that is announced and has not begun is not taken for ended`() throws {
        let pair = try RingPair()
        var writer = pair.writer()
        func publish() throws -> UInt32 {
            #expect(try writer.put([1].span) == 1)
            writer.publish()
            return unsafe writer.end.ended_sleep
        }
        #expect(try publish() == 0)
        // As if a thread were about to sleep there. It may have taken these bytes, and then only the next call ends its sleep.
        pair.lie(sleeps: 1)
        #expect(try publish() == 0)
        #expect(try publish() == 0)
    }

    @Test func `each sleep is ended by one call`() throws {
        let pair = try RingPair()
        let (own, other) = (pair.ownThere, pair.otherHere)
        let count = 2_000
        let thread = try WatchedThread {
            var reader = RingReader(own: own, other: other)
            let bell = RingBell()
            var (taken, bytes) = (0, [UInt8]())
            while taken < count {
                bytes = []
                taken += (try? reader.take(into: &bytes, atMost: 64)) ?? count
                _ = try? bell.wait(for: reader, heard: 0, spins: 0, atMost: taken < count ? nil : .zero)
            }
        }
        var writer = pair.writer()
        // A sleep that is announced may not have begun, and then nobody is woken; this one has.
        while pair.sleeps % 2 == 0 {}
        #expect(try thread.comesToSleep())
        #expect(try writer.put([1].span) == 1)
        writer.publish()
        var ended = unsafe writer.end.ended_sleep
        #expect(ended > 0)
        for number in 1..<count {
            // Where the other side sleeps, this wakes it.
            if number % 2 == 0 { while pair.sleeps % 2 == 0 {} }
            #expect(try writer.put([1].span) == 1)
            writer.publish()
            let last = unsafe writer.end.ended_sleep
            #expect(last >= ended && last <= pair.sleeps)
            ended = last
        }
        try thread.wait()
    }
}
