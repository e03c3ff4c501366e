// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The name of an action type; a reference to it keeps the name known.
///
/// `@unchecked Sendable`: nothing changes after `init`; the bytes are freed with the last reference.
@safe
@usableFromInline
final class ActionName: @unchecked Sendable {
    /// The type that has the name.
    let type: ActionType
    /// The hash of the bytes, from the table's hash function.
    let hash: UInt64
    /// The name as text, made once.
    let text: String
    /// The size of the name in bytes.
    let count: Int
    /// The name as it came: invalid UTF-8 is repaired in `text`, but compared as it is.
    ///
    /// Valid while the name is held.
    let bytes: UnsafeRawPointer

    /// Copies the bytes of a name.
    init(_ name: UnsafeRawBufferPointer, hash: UInt64, type: ActionType) {
        count = name.count
        let copy = UnsafeMutableRawPointer.allocate(byteCount: name.count, alignment: 1)
        if let start = name.baseAddress { unsafe memcpy(copy, start, name.count) }
        unsafe bytes = UnsafeRawPointer(copy)
        self.type = type
        self.hash = hash
        text = unsafe String(decoding: name, as: UTF8.self)
    }

    deinit { unsafe bytes.deallocate() }

    /// Returns whether the name has exactly these bytes; texts that differ only in normalization are
    /// different names.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = other.baseAddress else { return true }
        return unsafe memcmp(bytes, start, count) == 0
    }
}
