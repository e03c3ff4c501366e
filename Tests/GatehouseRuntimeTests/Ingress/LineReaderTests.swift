// SPDX-License-Identifier: Apache-2.0

import CLinux
import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseRuntime

/// How bytes become lines, whatever they come from and in whatever pieces.
@Suite(.timeLimit(.minutes(10))) struct LineReaderTests {
    @Test(arguments: [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\nb", ["a", "b"]),
        ("a\n\nb\n", ["a", "", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\r\n", ["a\r"]),
        ("a\rb\n", ["a\rb"]),
        ("a\r", ["a"]),
        ("\r\n", [""]),
        ("\u{FEFF}ä\n", ["\u{FEFF}ä"]),
    ])
    func `lines end with a line feed, with or without a carriage return, or with the input`(
        text: String, lines: [String]
    ) throws {
        let expected = lines.enumerated().map { LineRecord.line($1, number: $0 + 1) } + [.end]
        let wire = try Wire.holding(text)
        #expect(try wire.withReader { try $0.remainingRecords() } == expected)
    }

    @Test(arguments: [1, 2, 3, 7, 64, 4096])
    func `the size of the buffer does not change the lines`(bufferBytes: Int) throws {
        let text = (0..<300).map { String(repeating: "x", count: $0 % 41) }
        let expected = text.enumerated().map { LineRecord.line($1, number: $0 + 1) } + [.end]
        let wire = try Wire.holding(text.joined(separator: "\r\n"))
        #expect(try wire.withReader(bufferBytes: bufferBytes) { try $0.remainingRecords() } == expected)
    }

    @Test(arguments: [1, 4, 5, 6, 7, 100])
    func `a line above the limit is reported with its length and skipped`(bufferBytes: Int) throws {
        let text = "12345\n123456\r\n12345\r\n\n1234567890123456789\r\n123456\n1\n1234567"
        let wire = try Wire.holding(text)
        let records = try wire.withReader(maximumLineBytes: 5, bufferBytes: bufferBytes) {
            try $0.remainingRecords()
        }
        #expect(
            records == [
                .line("12345", number: 1), .tooLong(line: 2, bytes: 6), .line("12345", number: 3),
                .line("", number: 4), .tooLong(line: 5, bytes: 19), .tooLong(line: 6, bytes: 6),
                .line("1", number: 7), .tooLong(line: 8, bytes: 7), .end,
            ])
    }

    @Test func `a reader knows whether the next line is at hand, and a look at it changes nothing`() throws {
        let looks = try Wire.holding("one\ntwo\nthr").withReader { reader in
            var looks = [reader.hasLine]
            for _ in 0..<3 {
                guard case .line = try reader.next() else { break }
                looks.append(reader.hasLine)
                looks.append(reader.hasLine)
            }
            return looks
        }
        #expect(looks == [false, true, true, false, false, false, false])
    }

    @Test func `a line limit beyond all bounds is no trap`() throws {
        let records = try Wire.holding("one").withReader(maximumLineBytes: .max) { try $0.remainingRecords() }
        #expect(records == [.line("one", number: 1), .end])
    }

    @Test func `the end is reported again when asked again`() throws {
        try Wire.holding("").withReader { reader in
            try reader.expect(.end)
            try reader.expect(.end)
        }
    }

    @Test(arguments: [false, true])
    func `a complete line does not wait for more, and half a line waits for its rest`(overSocket: Bool) throws
    {
        let wire = try overSocket ? Wire.socket() : Wire.pipe()
        let wake = try Wire.pipe()
        // While the wake descriptor is ready, a wait shows as an interruption instead of hanging the test.
        try wake.write("!")
        try wire.withReader(wake: wake) { reader in
            try reader.expect(.interrupted)
            try wake.drain()
            try wire.write("one\ntwo\nthr")
            try reader.expect(.line("one", number: 1))
            try wake.write("!")
            try reader.expect(.line("two", number: 2))
            try reader.expect(.interrupted)
            try reader.expect(.interrupted)
            try wake.drain()
            try wire.write("ee\n")
            try reader.expect(.line("three", number: 3))
            try wire.write("four")
            wire.closeWriting()
            try reader.expect(.line("four", number: 4))
            try reader.expect(.end)
        }
    }

    @Test func `a second descriptor wakes a reader that waits in another thread`() throws {
        let wire = try Wire.socket()
        let wake = try Wire.pipe()
        let waiting = try TestThread {
            try wire.withReader(wake: wake) { reader in [try reader.nextRecord(), try reader.nextRecord()] }
        }
        try wire.write("one\nhalf")
        try wake.write("!")
        let records = try waiting.join()
        // The wake may be seen before the input, never instead of it for good.
        #expect(
            records == [.line("one", number: 1), .interrupted] || records == [.interrupted, .interrupted])
    }

    @Test func `a reader waiting in another thread gets the rest of the line`() throws {
        let wire = try Wire.socket()
        let reading = try TestThread { try wire.withReader { try $0.remainingRecords() } }
        for byte in Array("{\"a\":1}\r\n{}".utf8) { try wire.write([byte]) }
        wire.closeWriting()
        #expect(try reading.join() == [.line("{\"a\":1}", number: 1), .line("{}", number: 2), .end])
    }

    @Test func `a non-blocking input without data is waited for`() throws {
        let wire = try Wire.pipe()
        try #require(fcntl(wire.reading, F_SETFL, O_NONBLOCK) == 0)
        let reading = try TestThread { try wire.withReader { try $0.remainingRecords() } }
        try wire.write("late\n")
        wire.closeWriting()
        #expect(try reading.join() == [.line("late", number: 1), .end])
    }

    @Test func `padding is readable and zero after a last line`() throws {
        try Wire.holding("first\nlast").withReader(bufferBytes: 10) { reader in
            try reader.expect(.line("first", number: 1))
            guard case .line(let line) = try reader.next() else {
                Issue.record("expected the last line")
                return
            }
            let behind = unsafe UnsafeRawBufferPointer(
                start: line.bytes.baseAddress.map { unsafe $0 + line.bytes.count }, count: LineReader.padding)
            let bytes = unsafe Array(behind)
            #expect(bytes == Array(repeating: 0, count: LineReader.padding))
        }
    }

    @Test func `the buffer grows for a long line and shrinks after it`() throws {
        let long = String(repeating: "y", count: 40_000)
        try Wire.holding("short\n\(long)\nshort\nshort").withReader { reader in
            try reader.expect(.line("short", number: 1))
            #expect(reader.bufferCapacity == 1_000)
            try reader.expect(.line(long, number: 2))
            #expect(reader.bufferCapacity == 64_000)
            let rest = try reader.remainingRecords()
            #expect(rest == [.line("short", number: 3), .line("short", number: 4), .end])
            #expect(reader.bufferCapacity == 1_000)
        }
    }

    @Test func `the buffer never exceeds the line limit by more than two bytes`() throws {
        let wire = try Wire.pipe()
        let reading = try TestThread {
            try wire.withReader(maximumLineBytes: 3_000, bufferBytes: 500) { reader in
                var largest = 0
                var records: [LineRecord] = []
                repeat {
                    records.append(try reader.nextRecord())
                    largest = max(largest, reader.bufferCapacity)
                } while records.last != .end
                return (records, largest)
            }
        }
        let block = Array(repeating: UInt8(ascii: "z"), count: 50_000)
        for _ in 0..<20 { try wire.write(block) }
        try wire.write("\n" + String(repeating: "z", count: 3_000) + "\r\n")
        wire.closeWriting()
        let (records, largest) = try reading.join()
        let longest = LineRecord.line(String(repeating: "z", count: 3_000), number: 2)
        #expect(records == [.tooLong(line: 1, bytes: 1_000_000), longest, .end])
        #expect(largest == 3_002)
    }

    @Test func `a file is read like a pipe, also with a wake descriptor`() throws {
        let file = unsafe gatehouse_memfd_create("lines")
        try #require(file >= 0)
        defer { close(file) }
        let text = Array("one\r\ntwo".utf8)
        let written = unsafe text.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
        try #require(written == text.count)
        try #require(lseek(file, 0, SEEK_SET) == 0)
        let wake = try Wire.pipe()
        let records = try withExtendedLifetime(wake) {
            var reader = LineReader(descriptor: file, name: "test", wakeDescriptor: wake.reading)
            return try reader.remainingRecords()
        }
        #expect(records == [.line("one", number: 1), .line("two", number: 2), .end])
    }

    @Test func `a shared input is never waited for, and its last line may lack an ending`() throws {
        let wire = try Wire.pipe()
        try withExtendedLifetime(wire) {
            var reader = LineReader(descriptor: wire.reading, name: "test", kind: .shared)
            try reader.expect(.dry)
            try wire.write("one\ntw")
            try reader.expect(.line("one", number: 1))
            try reader.expect(.dry)
            wire.closeWriting()
            try reader.expect(.line("tw", number: 2))
            try reader.expect(.end)
        }
    }

    @Test func `what a connection leaves without an ending is no line`() throws {
        let wire = try Wire.holding("one\ntwo")
        try withExtendedLifetime(wire) {
            var reader = LineReader(descriptor: wire.reading, name: "test", kind: .connection)
            try reader.expect(.line("one", number: 1))
            try reader.expect(.end)
            #expect(reader.unfinishedBytes == 3)
            #expect(reader.bytesDone == 4)
        }
    }

    @Test func `a growing file goes on past its end, and counts from where others have ended`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("one\ntw", to: "file")
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        let writer = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { for file in [file, writer] { close(file) } }
        var reader = LineReader(descriptor: file, name: "test", kind: .growing, linesBefore: 6)
        try reader.expect(.line("one", number: 7))
        try reader.expect(.dry)
        try #require(unsafe write(writer, "o\n", 2) == 2)
        try reader.expect(.line("two", number: 8))
        try reader.expect(.dry)
        #expect(reader.bytesDone == 8)
    }

    @Test func `an input that rests has no memory, unless it has part of a line`() throws {
        let wire = try Wire.pipe()
        try withExtendedLifetime(wire) {
            var reader = LineReader(descriptor: wire.reading, name: "test", kind: .shared)
            try wire.write("one\ntw")
            try reader.expect(.line("one", number: 1))
            try reader.expect(.dry)
            reader.rest()
            #expect(reader.bufferCapacity == 64 << 10)
            try wire.write("o\n")
            try reader.expect(.line("two", number: 2))
            try reader.expect(.dry)
            reader.rest()
            #expect(reader.bufferCapacity == 0)
            try wire.write("three\n")
            try reader.expect(.line("three", number: 3))
        }
    }

    @Test func `a directory is refused with the system's words`() throws {
        let directory = unsafe open("/", O_RDONLY | O_DIRECTORY)
        try #require(directory >= 0)
        defer { close(directory) }
        var reader = LineReader(descriptor: directory, name: "events.ndjson")
        do {
            _ = try reader.next()
            Issue.record("expected an error")
        } catch {
            #expect(error == .reading(input: "events.ndjson", line: 0, code: EISDIR))
            #expect(
                error.description
                    == "events.ndjson: expected more input after line 0, but reading failed with "
                    + "\"Is a directory\" (errno 21); give a readable file, pipe or socket.")
        }
    }

    @Test func `a closed wake descriptor is an error, not a busy loop`() throws {
        var reader = LineReader(descriptor: 0, name: "orders", wakeDescriptor: 1_000_000)
        do {
            _ = try reader.next()
            Issue.record("expected an error")
        } catch {
            #expect(error == .wakeDescriptorClosed(input: "orders"))
            #expect(
                error.description
                    == "orders: expected an open descriptor to be woken by, found a closed one; "
                    + "keep it open as long as the input is read.")
        }
    }

    @Test(arguments: [
        (
            IngressError.waiting(input: "a", code: ENOMEM),
            "a: waiting for input failed with \"Cannot allocate memory\" (errno 12); start the input again."
        ),
        (
            IngressError.outOfMemory(input: "a", bytes: 7),
            "a: a line needs a buffer of 7 bytes, which the system refused; "
                + "lower the line limit or free memory."
        ),
    ])
    func `the other errors say what to do`(error: IngressError, text: String) {
        #expect(error.description == text)
    }
}
