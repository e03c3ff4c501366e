// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Testing

@testable import GatehouseSupport

/// Messages between processes that do not trust each other.
@Suite(.timeLimit(.minutes(10))) struct FrameTests {
    /// Two frames, one with a value of each kind.
    private var written: [UInt8] {
        var writer = FrameWriter()
        writer.begin(7)
        writer.put(9 as UInt8)
        writer.put(0x0102_0304 as UInt32)
        writer.put(.max - 1 as UInt64)
        writer.put(0.5)
        writer.put([1, 2, 3])
        writer.put("é")
        writer.end()
        writer.begin(8)
        writer.end()
        return writer.bytes
    }

    /// Reads the first of them.
    private func check(_ frame: Frame?) throws {
        var frame = try #require(frame)
        #expect(frame.kind == 7)
        #expect(try frame.number(UInt8.self) == 9)
        #expect(try frame.number(UInt32.self) == 0x0102_0304)
        #expect(try frame.number(UInt64.self) == .max - 1)
        #expect(try frame.fraction() == 0.5)
        #expect(try Array(frame.bytes()) == [1, 2, 3])
        #expect(try frame.text() == "é")
        try frame.finish()
    }

    /// A frame of a kind with content as it is.
    private func frame(_ content: [UInt8], kind: UInt8 = 1) throws -> Frame {
        var reader = FrameReader(limit: 100)
        reader.fill([UInt8(content.count + 1), 0, 0, 0, kind] + content)
        return try #require(try reader.next())
    }

    @Test func `values come out as they were put in`() throws {
        var reader = FrameReader(limit: 100)
        reader.fill(written)
        try check(reader.next())
        let second = try #require(try reader.next())
        #expect(second.kind == 8)
        try second.finish()
        #expect(try reader.next() == nil)
    }

    @Test func `a frame has its length and its kind before its values`() {
        var writer = FrameWriter()
        writer.begin(9)
        writer.put(0x0504_0302 as UInt32)
        writer.put("a")
        writer.end()
        #expect(writer.bytes == [10, 0, 0, 0, 9, 2, 3, 4, 5, 1, 0, 0, 0, 97])
        writer.remove(5)
        #expect(writer.bytes == [2, 3, 4, 5, 1, 0, 0, 0, 97])
        writer.remove()
        #expect(writer.bytes == [])
    }

    @Test func `a frame in one piece is what single calls make`() {
        var (whole, single) = (FrameWriter(), FrameWriter())
        let (name, text) = (Array("name".utf8), Array("{}".utf8))
        for frame in 1...2 as ClosedRange<UInt8> {
            let line = unsafe text.withUnsafeBytes {
                unsafe whole.add(frame, (2, 3, 4, 5, 6, 8), 7, name.span, $0)
            }
            let begin = single.bytes.count
            single.begin(frame)
            for number in 2...5 as ClosedRange<UInt64> { single.put(number) }
            single.put(6 as UInt64)
            single.put(8 as UInt64)
            #expect(line == single.bytes.count - begin)
            single.put(7 as UInt64)
            single.put(name)
            single.put(text)
            single.end()
        }
        #expect(whole.bytes == single.bytes)
    }

    @Test func `a frame that comes byte by byte is taken when it is whole`() throws {
        var reader = FrameReader(limit: 100)
        let bytes = written
        let end = bytes.count - 5
        for place in 0..<end - 1 {
            reader.fill([bytes[place]])
            #expect(try reader.next() == nil)
        }
        reader.fill([bytes[end - 1]])
        try check(reader.next())
    }

    @Test func `frames that a ring has no room for come in parts`() throws {
        let pair = try RingPair(capacity: 4_096)
        var frames = FrameWriter()
        for content in [[UInt8](repeating: 5, count: 10_000), [1], []] {
            frames.begin(3)
            frames.put(content)
            frames.end()
        }
        var writer = pair.writer()
        var (sent, contents) = (0, [[UInt8]]())
        var ring = pair.reader()
        var reader = FrameReader(limit: 20_000)
        while contents.count < 3 {
            sent += try writer.put(frames.bytes.span.extracting(sent..<frames.bytes.count))
            writer.publish()
            let came = try reader.read(&ring, atMost: 3_000) { contents.append(Array(try $0.bytes())) }
            #expect(came)
        }
        #expect(contents == [[UInt8](repeating: 5, count: 10_000), [1], []])
        #expect(try !reader.read(&ring, atMost: 3_000) { _ in Issue.record("there is no other frame") })
    }

    @Test func `what the body throws ends the reading`() throws {
        let pair = try RingPair(capacity: 4_096)
        var writer = pair.writer()
        var ring = pair.reader()
        var reader = FrameReader(limit: 100)
        #expect(try writer.put(written.span) == written.count)
        writer.publish()
        #expect(throws: FrameFailure.unexpected(kind: 7)) {
            try reader.read(&ring, atMost: 100) { throw FrameFailure.unexpected(kind: $0.kind) }
        }
    }

    // MARK: - Lies

    @Test func `a length above the limit is refused before anything of it is there`() {
        var reader = FrameReader(limit: 100)
        reader.fill([101, 0, 0, 0])
        #expect(throws: FrameFailure.tooLong(101, limit: 100)) { try reader.next() }
        reader.fill([UInt8](repeating: 0, count: 200))
        #expect(throws: FrameFailure.tooLong(101, limit: 100)) { try reader.next() }
        var largest = FrameReader(limit: 100)
        largest.fill([0xff, 0xff, 0xff, 0xff])
        #expect(throws: FrameFailure.tooLong(4_294_967_295, limit: 100)) { try largest.next() }
        var allowed = FrameReader(limit: 100)
        allowed.fill([100, 0, 0, 0] + [UInt8](repeating: 0, count: 100))
        #expect(throws: Never.self) { try allowed.next() }
    }

    @Test func `a frame without a kind is refused`() {
        var reader = FrameReader(limit: 100)
        reader.fill([0, 0, 0, 0])
        #expect(throws: FrameFailure.cut(kind: 0)) { try reader.next() }
    }

    @Test func `content that ends before its values is refused`() throws {
        var short = try frame([1, 2, 3])
        #expect(throws: FrameFailure.cut(kind: 1)) { try short.number(UInt32.self) }
        var empty = try frame([])
        #expect(throws: FrameFailure.cut(kind: 1)) { try empty.number(UInt8.self) }
        var bytes = try frame([4, 0, 0, 0, 1, 2, 3])
        #expect(throws: FrameFailure.cut(kind: 1)) { try bytes.bytes() }
        var huge = try frame([0xff, 0xff, 0xff, 0xff, 1])
        #expect(throws: FrameFailure.cut(kind: 1)) { try huge.text() }
    }

    @Test func `content that goes on after its values is refused`() throws {
        var frame = try frame([1, 2])
        _ = try frame.number(UInt8.self)
        #expect(throws: FrameFailure.cut(kind: 1)) { try frame.finish() }
        _ = try frame.number(UInt8.self)
        #expect(throws: Never.self) { try frame.finish() }
    }

    @Test func `a text that is no UTF-8 is refused`() throws {
        var frame = try frame([2, 0, 0, 0, 0xc3, 0x28], kind: 5)
        #expect(throws: FrameFailure.badText(kind: 5)) { try frame.text() }
    }

    @Test(arguments: [911, 912, 913] as [UInt64]) func `any bytes are read or refused`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (texts, refusals) = (0, 0)
        for _ in 0..<10_000 {
            var reader = FrameReader(limit: 64)
            // Short lengths are likely, also within the frame.
            var bytes = (0..<85).map { _ in UInt8.random(in: 0...130, using: &random) }
            for place in stride(from: 5, to: 85, by: 4) where Bool.random(using: &random) {
                bytes.replaceSubrange(place..<place + 4, with: [.random(in: 0...8, using: &random), 0, 0, 0])
            }
            bytes.replaceSubrange(0..<4, with: [.random(in: 0...70, using: &random), 0, 0, 0])
            reader.fill(bytes)
            do throws(FrameFailure) {
                while var frame = try reader.next() {
                    var count = 1
                    while count < 64 {
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: count += try 4 + frame.bytes().count
                        case 1:
                            count += try 4 + frame.text().utf8.count
                            texts += 1
                        case 2:
                            _ = try frame.number(UInt64.self)
                            count += 8
                        default:
                            _ = try frame.number(UInt8.self)
                            count += 1
                        }
                    }
                    Issue.record("more values than the frame has bytes, seed \(seed)")
                }
            } catch {
                refusals += 1
            }
        }
        #expect(texts > 1_000)
        #expect(refusals > 5_000)
    }

    @Test func `each failure says what is wrong`() {
        #expect(
            "\(FrameFailure.tooLong(2_000_000, limit: 1_048_576))"
                == "a message has 2,000,000 bytes, and 1,048,576 are the most")
        #expect(
            "\(FrameFailure.cut(kind: 4))" == "the length of a message of kind 4 is not that of its content")
        #expect("\(FrameFailure.badText(kind: 4))" == "a text in a message of kind 4 is not UTF-8")
        #expect("\(FrameFailure.unexpected(kind: 4))" == "a message of kind 4 was not expected")
        #expect("\(FrameFailure.badNumber("an offset"))" == "a message has an offset that cannot be")
    }
}
