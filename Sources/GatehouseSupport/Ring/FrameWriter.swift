// SPDX-License-Identifier: Apache-2.0

/// Writes messages as frames: the length in four bytes, a byte that says what it is, and values one after the other.
///
/// Numbers have their low byte first; texts and bytes have their length in four bytes before them. `FrameReader` reads it.
package struct FrameWriter {
    /// The frames so far.
    package private(set) var bytes: [UInt8] = []
    /// Where the frame begins that is being written; nil between two frames.
    private var start: Int?

    /// A writer without frames.
    package init() {}

    /// Begins a frame.
    ///
    /// - Parameter kind: what it is, as the two sides have agreed.
    package mutating func begin(_ kind: UInt8) {
        precondition(start == nil, "a frame begins within another one")
        start = bytes.count
        // The length comes when it is known.
        add((0 as UInt32, kind))
    }

    // One function for each type, because generic code is not specialised for another target.

    /// Adds a byte.
    package mutating func put(_ number: UInt8) { bytes.append(number) }

    /// Adds a number of four bytes.
    package mutating func put(_ number: UInt32) { add(number.littleEndian) }

    /// Adds a number of eight bytes.
    package mutating func put(_ number: UInt64) { add(number.littleEndian) }

    /// Adds four numbers of eight bytes, at little more than the cost of one.
    package mutating func put(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        add((first.littleEndian, second.littleEndian, third.littleEndian, fourth.littleEndian))
    }

    /// Adds the bytes of a value without padding between its parts.
    @inline(__always)
    private mutating func add<Content: BitwiseCopyable>(_ content: Content) {
        unsafe withUnsafeBytes(of: content) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Adds a number with a fraction.
    package mutating func put(_ number: Double) { put(number.bitPattern) }

    /// Adds bytes.
    package mutating func put(_ content: [UInt8]) {
        put(UInt32(content.count))
        bytes += content
    }

    /// Adds bytes of others.
    package mutating func put(_ content: UnsafeRawBufferPointer) {
        put(UInt32(content.count))
        unsafe bytes.append(contentsOf: content)
    }

    /// Adds a text.
    package mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { unsafe put(UnsafeRawBufferPointer($0)) }
    }

    /// Adds a whole frame with seven numbers of eight bytes and two runs of bytes, as single calls would: in one
    /// piece, at little more than the cost of copying.
    ///
    /// - Returns: where `line` begins, counted from the frame's first byte.
    package mutating func add(
        _ kind: UInt8, _ numbers: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64), _ line: UInt64,
        _ name: Span<UInt8>, _ text: UnsafeRawBufferPointer
    ) -> Int {
        precondition(start == nil, "a frame begins within another one")
        let head = 4 + 1 + 6 * 8
        let fixed = head + 8
        let length = fixed + 4 + name.count + 4 + text.count
        bytes.append(addingCapacity: length) { room in
            unsafe room.withUnsafeMutableBufferPointer { buffer, count in
                guard let free = buffer.baseAddress else { return }
                var next = unsafe UnsafeMutableRawPointer(free + count)
                unsafe next.store(UInt32(length - 4), at: 0)
                unsafe next.store(kind, at: 4)
                unsafe next.store(numbers.0, at: 5)
                unsafe next.store(numbers.1, at: 13)
                unsafe next.store(numbers.2, at: 21)
                unsafe next.store(numbers.3, at: 29)
                unsafe next.store(numbers.4, at: 37)
                unsafe next.store(numbers.5, at: 45)
                unsafe next.store(line, at: head)
                unsafe next += fixed
                unsafe next.store(UInt32(name.count), at: 0)
                unsafe name.withUnsafeBytes {
                    unsafe UnsafeMutableRawBufferPointer(start: next + 4, count: name.count)
                        .copyMemory(from: $0)
                }
                unsafe next += 4 + name.count
                unsafe next.store(UInt32(text.count), at: 0)
                unsafe UnsafeMutableRawBufferPointer(start: next + 4, count: text.count)
                    .copyMemory(from: text)
                count += length
            }
        }
        return head
    }

    /// Ends the frame.
    package mutating func end() {
        guard let start = start.take() else { preconditionFailure("no frame was begun") }
        let length = UInt32(bytes.count - start - 4)
        for place in 0..<4 { bytes[start + place] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(place))) }
    }

    /// Adds the frames of another writer, between two frames.
    package mutating func add(_ frames: FrameWriter) {
        precondition(start == nil, "frames are added within a frame")
        bytes += frames.bytes
    }

    /// Makes another kind of a frame that is there.
    ///
    /// - Parameter place: where the frame begins.
    package mutating func change(_ kind: UInt8, at place: Int) { bytes[place + 4] = kind }

    /// Removes the first bytes, between two frames; O(n) in those that stay.
    ///
    /// - Parameter count: how many; nil for all.
    package mutating func remove(_ count: Int? = nil) {
        precondition(start == nil, "bytes are removed within a frame")
        if let count { bytes.removeSubrange(..<count) } else { bytes.removeAll(keepingCapacity: true) }
    }
}

extension UnsafeMutableRawPointer {
    /// Stores a number with its low byte first.
    @inline(__always)
    fileprivate func store<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number, at offset: Int) {
        unsafe storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
}
