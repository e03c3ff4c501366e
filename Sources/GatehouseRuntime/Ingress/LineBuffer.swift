// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The memory of a `LineReader`: bytes read and not yet returned, in one allocation followed by padding.
///
/// Marked safe because the pointer never leaves except through the two `take` functions, whose results are
/// valid until the next call that changes the buffer.
@safe struct LineBuffer: ~Copyable {
    /// Start of the allocation, `capacity + LineReader.padding` bytes long; nil before the first `makeRoom`.
    private var base: UnsafeMutableRawPointer?

    /// The number of bytes that input may fill.
    private(set) var capacity = 0

    /// The capacity the buffer starts with and returns to, in bytes.
    private let smallCapacity: Int

    /// The capacity it never exceeds, in bytes.
    private let largestCapacity: Int

    /// The offset of the first byte not returned.
    private var start = 0

    /// The offset after the last byte read.
    private var end = 0

    /// The offset up to which there is no newline, which may stand there, so that a long line arriving in pieces is searched once.
    private var searched = 0

    /// Creates a buffer without memory; `largestCapacity` is raised to `smallCapacity` when below it.
    init(smallCapacity: Int, largestCapacity: Int) {
        unsafe self.base = nil
        self.smallCapacity = smallCapacity
        self.largestCapacity = max(smallCapacity, largestCapacity)
    }

    /// Creates a buffer in which bytes wait that another one has read.
    init(smallCapacity: Int, largestCapacity: Int, holding waiting: [UInt8]) {
        self.init(smallCapacity: smallCapacity, largestCapacity: max(largestCapacity, waiting.count))
        guard !waiting.isEmpty, resize(to: max(smallCapacity, waiting.count)) == nil, let base = unsafe base
        else {
            return
        }
        unsafe waiting.withUnsafeBytes {
            unsafe base.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count)
        }
        end = waiting.count
        clearPadding()
    }

    deinit { unsafe free(base) }

    /// A copy of the bytes read and not returned.
    var waiting: [UInt8] {
        guard let base = unsafe base else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: base + start, count: count))
    }

    /// The number of bytes read and not returned.
    var count: Int { end - start }

    /// Whether a newline has been read; what this has searched, `takeLine` does not search again.
    var hasLine: Bool {
        mutating get {
            guard let base = unsafe base,
                let found = unsafe memchr(base + searched, Int32(UInt8(ascii: "\n")), end - searched)
            else {
                searched = end
                return false
            }
            searched = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
            return true
        }
    }

    /// Returns the bytes before the next newline and skips it; nil when no newline has been read yet.
    mutating func takeLine() -> UnsafeRawBufferPointer? {
        guard hasLine, let base = unsafe base else { return nil }
        let line = unsafe UnsafeRawBufferPointer(start: base + start, count: searched - start)
        start = searched + 1
        searched = start
        return unsafe line
    }

    /// Returns all bytes read and not yet returned.
    mutating func takeRest() -> UnsafeRawBufferPointer {
        defer {
            start = 0
            end = 0
            searched = 0
        }
        guard let base = unsafe base else { return unsafe UnsafeRawBufferPointer(start: nil, count: 0) }
        clearPadding()
        return unsafe UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    /// Makes room for at least one byte: moves the waiting bytes to the front, then grows if they fill it.
    ///
    /// A buffer that has grown returns to its small size as soon as the rest fits, so one huge line costs
    /// memory only while it is there. Returns the refused size in bytes when there is no memory, else nil.
    mutating func makeRoom() -> Int? {
        if start > 0, let base = unsafe base {
            unsafe memmove(base, base + start, count)
            searched -= start
            end -= start
            start = 0
        }
        if capacity > smallCapacity, end < smallCapacity { return resize(to: smallCapacity) }
        guard end == capacity else { return nil }
        return resize(
            to: capacity == 0 ? smallCapacity : min(capacity * 2, max(largestCapacity, capacity + 1)))
    }

    /// Frees the memory if it is empty; the next `makeRoom` allocates again.
    mutating func rest() {
        guard start == end, capacity > 0 else { return }
        unsafe free(base)
        unsafe base = nil
        (capacity, start, end, searched) = (0, 0, 0, 0)
    }

    /// Reads once into the room after the last byte; the result and `errno` are those of `read`.
    ///
    /// Must follow a successful `makeRoom`.
    mutating func fill(from descriptor: Int32) -> Int {
        guard let base = unsafe base else { return 0 }
        let count = unsafe read(descriptor, base + end, capacity - end)
        if count > 0 {
            end += count
            clearPadding()
        }
        return count
    }

    /// Zeroes the padding after the last byte: a parser reads it, and should not read uninitialised memory.
    private func clearPadding() {
        guard let base = unsafe base else { return }
        unsafe memset(base + end, 0, LineReader.padding)
    }

    /// Reallocates for the bytes held, which must fit; returns the refused size without memory, else nil.
    private mutating func resize(to newCapacity: Int) -> Int? {
        guard let moved = unsafe realloc(base, newCapacity + LineReader.padding) else {
            return newCapacity + LineReader.padding
        }
        unsafe base = unsafe moved
        capacity = newCapacity
        return nil
    }
}
