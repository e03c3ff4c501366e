// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a frame that another process has written.
package enum FrameFailure: Error, Equatable, Sendable {
    /// It is longer than any that an honest process writes: its length, and the most.
    case tooLong(Int, limit: Int)
    /// Its length and that of its content differ; the kind.
    case cut(kind: UInt8)
    /// A text in it is not UTF-8; the kind.
    case badText(kind: UInt8)
    /// It is of a kind that nobody has agreed on, or of one that nothing asked for.
    case unexpected(kind: UInt8)
    /// No honest process writes such a number there; what it stands for.
    case badNumber(String)
}

extension FrameFailure: CustomStringConvertible {
    /// What is wrong, as a clause without a period.
    package var description: String {
        switch self {
        case .tooLong(let length, let limit):
            "a message has \(length.grouped) bytes, and \(limit.grouped) are the most"
        case .cut(let kind): "the length of a message of kind \(kind) is not that of its content"
        case .badText(let kind): "a text in a message of kind \(kind) is not UTF-8"
        case .unexpected(let kind): "a message of kind \(kind) was not expected"
        case .badNumber(let what): "a message has \(what) that cannot be"
        }
    }
}

/// Cuts a stream of bytes that another process has written into frames, and trusts neither their lengths nor their contents.
package struct FrameReader: ~Copyable {
    /// What came, of which some may be taken.
    private var bytes: [UInt8] = []
    /// How much of it is taken.
    private var taken = 0
    /// The most bytes of a frame, without its length.
    private let limit: Int

    /// How many bytes are taken at once where nothing else is wanted; what is left is taken the next time.
    package static let mostAtOnce = 1 << 16

    /// A reader of frames with at most so many bytes each.
    package init(limit: Int) { self.limit = limit }

    /// Takes the bytes that are there, and calls a body with each frame that is whole.
    ///
    /// Keeps less than one frame from one call to the next, so the other side cannot fill this one's memory.
    ///
    /// - Parameter count: the most bytes to take; the other side may have written more meanwhile.
    /// - Returns: whether there were some.
    /// - Throws: `broken`, and frames that are too long, from then on always; and what the body throws.
    package mutating func read(
        _ ring: inout RingReader, atMost count: Int = mostAtOnce, _ body: (inout Frame) throws -> Void
    ) throws -> Bool {
        guard try fill(from: &ring, atMost: count) else { return false }
        while var frame = try next() { try body(&frame) }
        return true
    }

    /// Takes the bytes that are there, after those that are left; returns whether there were some.
    ///
    /// - Parameter count: the most bytes to take.
    /// - Throws: `broken`.
    package mutating func fill(from ring: inout RingReader, atMost count: Int = mostAtOnce)
        throws(RingFailure) -> Bool
    {
        bytes.removeSubrange(..<taken)
        taken = 0
        return try ring.take(into: &bytes, atMost: count) > 0
    }

    /// Adds bytes that came in another way.
    package mutating func fill(_ more: some Sequence<UInt8>) { bytes += more }

    /// Takes the next frame; nil when it is not whole yet.
    ///
    /// - Throws: that it is too long, and from then on always.
    package mutating func next() throws(FrameFailure) -> Frame? {
        guard bytes.count - taken >= 4 else { return nil }
        let length = Int(bytes.number(at: taken, as: UInt32.self))
        guard length <= limit else { throw .tooLong(length, limit: limit) }
        guard length > 0 else { throw .cut(kind: 0) }
        guard bytes.count - taken - 4 >= length else { return nil }
        let start = taken + 4
        taken = start + length
        return Frame(bytes, start..<taken)
    }
}

/// A message of another process, whose values are taken in the order in which they were put.
///
/// Do not keep it: it shares the memory of all that came with it. The values that it gives have memory of their own.
package struct Frame {
    /// What it is.
    package let kind: UInt8
    /// Its bytes, and those of others around them.
    private let all: [UInt8]
    /// Where the next byte stands that is not taken.
    private var next: Int
    /// Where it ends.
    private let end: Int

    /// A frame of at least one byte.
    fileprivate init(_ all: [UInt8], _ range: Range<Int>) {
        self.all = all
        kind = all[range.lowerBound]
        next = range.lowerBound + 1
        end = range.upperBound
    }

    /// How many bytes are left.
    private var left: Int { end - next }

    // One function for each type, because generic code is not specialised for another target.

    /// Takes a byte.
    package mutating func number(_: UInt8.Type = UInt8.self) throws(FrameFailure) -> UInt8 { try take() }

    /// Takes a number of four bytes.
    package mutating func number(_: UInt32.Type = UInt32.self) throws(FrameFailure) -> UInt32 { try take() }

    /// Takes a number of eight bytes.
    package mutating func number(_: UInt64.Type = UInt64.self) throws(FrameFailure) -> UInt64 { try take() }

    /// Takes a number.
    @inline(__always)
    private mutating func take<Number: FixedWidthInteger & BitwiseCopyable>() throws(FrameFailure) -> Number {
        guard left >= MemoryLayout<Number>.size else { throw .cut(kind: kind) }
        defer { next += MemoryLayout<Number>.size }
        return all.number(at: next)
    }

    /// Takes a number with a fraction.
    package mutating func fraction() throws(FrameFailure) -> Double { Double(bitPattern: try number()) }

    /// Takes bytes, where they are.
    package mutating func bytes() throws(FrameFailure) -> ArraySlice<UInt8> {
        let count = Int(try number(UInt32.self))
        guard count <= left else { throw .cut(kind: kind) }
        defer { next += count }
        return all[next..<next + count]
    }

    /// Takes a text.
    package mutating func text() throws(FrameFailure) -> String {
        let bytes = try bytes()
        do { return String(copying: try UTF8Span(validating: bytes.span)) } catch {
            throw .badText(kind: kind)
        }
    }

    /// Passes over so many bytes.
    ///
    /// - Throws: that there are fewer.
    package mutating func skip(bytes count: Int) throws(FrameFailure) {
        guard count <= left else { throw .cut(kind: kind) }
        next += count
    }

    /// Passes over all values that are left.
    package mutating func skip() { next = end }

    /// Says that all values are taken.
    ///
    /// - Throws: that there are more.
    package func finish() throws(FrameFailure) {
        guard left == 0 else { throw .cut(kind: kind) }
    }
}

extension [UInt8] {
    /// The number whose low byte stands at a place; traps where it goes beyond the end.
    @inline(__always)
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(
        at place: Int, as _: Number.Type = Number.self
    ) -> Number {
        unsafe Number(littleEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: Number.self))
    }
}
