// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseLibrary

/// The counter's library as it was built, and copies with one edit.
struct CounterLibrary {
    /// The bytes of the file.
    var bytes: [UInt8]

    /// Reads the library beside the test bundle.
    init() throws {
        bytes = try FileSystem.read(BuiltProducts.library("CounterPlugin"))
    }

    /// The verdict on the bytes as they are.
    func verdict(machine: ELFMachine? = .current) -> Verdict {
        unsafe bytes.withUnsafeBytes { unsafe Verdict(judging: $0, machine: machine) }
    }

    /// The sentences of the verdict.
    var refusals: [String] { verdict().refusals.map(\.description) }

    /// The range of the note's JSON text.
    var noteRange: Range<Int> {
        get throws {
            let start = try #require(Self.firstRange(of: "{\"format\":1,\"abi\":", in: bytes[...])).lowerBound
            let note = try #require(try ELFImage(reading: bytes).notes(ownedBy: "gatehouse").first)
            return start..<start + note.content.count
        }
    }

    /// Replaces a text inside the note by one of the same length.
    mutating func replaceInNote(_ text: String, with other: String) throws {
        try #require(text.utf8.count == other.utf8.count)
        let range = try noteRange
        let place = try #require(Self.firstRange(of: text, in: bytes[range]))
        bytes.replaceSubrange(place, with: other.utf8)
    }

    /// The note's JSON text.
    var noteContent: [UInt8] {
        get throws { Array(bytes[try noteRange]) }
    }

    /// Rewrites the note in place; what is written must fit where the old text and its spaces stood.
    mutating func replaceNote(_ edit: (String) -> String) throws {
        let range = try noteRange
        let old = String(decoding: bytes[range], as: UTF8.self)
        var text = Array(edit(old).utf8)
        while text.count > range.count, text.last == UInt8(ascii: " ") { text.removeLast() }
        // A key that readers may leave out makes room.
        if text.count > range.count,
            let place = Self.firstRange(of: "\"toolsVersion\":\"6.3\",", in: text[...])
        {
            text.removeSubrange(place)
        }
        try #require(text.count <= range.count)
        text += repeatElement(UInt8(ascii: " "), count: range.count - text.count)
        bytes.replaceSubrange(range, with: text)
    }

    /// The text of a string member of the note.
    func noteText(_ key: String) throws -> String {
        let range = try noteRange
        let start = try #require(Self.firstRange(of: "\"\(key)\":\"", in: bytes[range])).upperBound
        return String(decoding: bytes[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }

    /// Replaces a text anywhere by one of the same length; gives how often it stood there.
    mutating func replaceEverywhere(_ text: String, with other: String) throws -> Int {
        try #require(text.utf8.count == other.utf8.count)
        var count = 0
        while let place = Self.firstRange(of: text, in: bytes[...]) {
            bytes.replaceSubrange(place, with: other.utf8)
            count += 1
        }
        return count
    }

    /// Where a text stands first.
    private static func firstRange(of text: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        // The system's own search for the first byte: a library has megabytes, and tests are not optimised.
        let text = Array(text.utf8)
        let found = unsafe bytes.withUnsafeBytes { buffer -> Int? in
            var start = 0
            while start + text.count <= buffer.count, let base = buffer.baseAddress,
                let place = unsafe memchr(base + start, Int32(text[0]), buffer.count - start)
            {
                let offset = unsafe UnsafeRawPointer(place) - base
                guard offset + text.count <= buffer.count else { return nil }
                if unsafe memcmp(base + offset, text, text.count) == 0 { return offset }
                start = offset + 1
            }
            return nil
        }
        return found.map { bytes.startIndex + $0..<bytes.startIndex + $0 + text.count }
    }
}
