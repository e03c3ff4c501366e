// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The name of an action type. Whoever holds it keeps the name known.
///
/// `@unchecked Sendable`: nothing changes after `init`; the bytes are freed with the last reference.
@safe
@usableFromInline
final class ActionName: @unchecked Sendable {
    /// The type that has the name.
    let type: ActionType
    /// The hash of the bytes, in the hash function of the table.
    let hash: UInt64
    /// The name as text, made once.
    let text: String
    /// The size of the name in bytes.
    let count: Int
    /// The name as it came: text that is not valid UTF-8 is repaired in `text`, but compared as it is.
    ///
    /// Valid as long as the name is held.
    let bytes: UnsafeRawPointer

    /// A name of its own, copied.
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

    /// Whether the name has exactly these bytes; texts that differ only in normalization are different names.
    @inline(__always)
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = other.baseAddress else { return true }
        return unsafe memcmp(bytes, start, count) == 0
    }
}
