// SPDX-License-Identifier: Apache-2.0

private import GatehouseHostTesting
package import GatehouseLibrary
package import GatehouseManifest
private import GatehouseSDK
private import Testing

/// The bytes of a fixture with a note that fits this host, to be damaged.
package struct FixtureLibrary {
    /// The bytes of the file.
    package var bytes: [UInt8]
    /// The range of the note's text; empty for a fixture without one.
    package private(set) var noteRange = 0..<0

    /// The space for the text of the note in C fixtures, in bytes.
    private static let noteSize = 4_096

    /// Reads a fixture; one in C gets the note of a plugin named `broken`.
    package init(_ name: String) throws { try self.init(reading: BuiltProducts.library(name), module: name) }

    /// Reads a library that was built from the fixture of a module.
    package init(reading path: String, module name: String) throws {
        bytes = try FileSystem.read(path)
        guard let start = find("gatehouse\0\0\0" + EntryName.prefix) else { return }
        noteRange = start + 12..<start + 12 + Self.noteSize
        try writeNote(entry: EntryName(module: name))
    }

    /// Writes a note that fits this host, changed by `change`, into the available space.
    package mutating func writeNote(entry: EntryName, change: (String) -> String = { $0 }) throws {
        let manifest = PluginManifest(
            id: "broken", version: try #require(SemanticVersion("1.0.0")), summary: "Is broken",
            principal: "Broken", consumes: [])
        let note = PluginNote(manifest: manifest, contract: .sdk(SDKIdentity.current), entry: entry)
        let text = Array(change(String(decoding: note.bytes, as: UTF8.self)).utf8)
        try #require(text.count <= noteRange.count)
        bytes.replaceSubrange(
            noteRange, with: text + Array(repeating: UInt8(ascii: " "), count: noteRange.count - text.count))
    }

    /// Replaces a text of the note.
    package mutating func changeNote(_ old: String, to new: String) throws {
        try #require(find(old) != nil)
        try writeNote(entry: EntryName(module: "SilentEntry")) { $0.replacing(old, with: new) }
    }

    /// Replaces a text everywhere by one of the same length.
    package mutating func replace(_ old: String, with new: String) throws {
        try #require(old.utf8.count == new.utf8.count)
        try #require(find(old) != nil)
        while let start = find(old) { bytes.replaceSubrange(start..<start + old.utf8.count, with: new.utf8) }
    }

    /// The verdict on the present bytes.
    package var verdict: Verdict { unsafe bytes.withUnsafeBytes { unsafe Verdict(judging: $0) } }

    // MARK: - Numbers in the file

    /// Reads a little-endian number.
    package func number<Number: FixedWidthInteger>(_ type: Number.Type = UInt64.self, at offset: Int)
        -> Number
    {
        (0..<MemoryLayout<Number>.size).reduce(0) { $0 | Number(bytes[offset + $1]) << ($1 * 8) }
    }

    /// Writes a little-endian number.
    package mutating func write(_ number: some FixedWidthInteger, at offset: Int) {
        for byte in 0..<number.bitWidth / 8 {
            bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> (byte * 8))
        }
    }

    /// The offset of the program header of a type, the first or a later one.
    package func programHeader(_ type: UInt32, _ index: Int = 0) throws -> Int {
        let headers = stride(from: 64, to: 64 + 56 * Int(number(UInt16.self, at: 56)), by: 56)
        let found = headers.filter { number(UInt32.self, at: $0) == type }
        try #require(index < found.count)
        return found[index]
    }

    /// The offset of the entry of the dynamic section with a tag.
    package func dynamicEntry(_ tag: DynamicTag) throws -> Int {
        let header = try programHeader(2)
        let start = Int(number(at: header + 8))
        let entries = stride(from: start, to: start + Int(number(at: header + 32)), by: 16)
        return try #require(entries.first { number(at: $0) == tag.rawValue })
    }

    /// Writes the value of an entry of the dynamic section.
    package mutating func setDynamic(_ tag: DynamicTag, to value: UInt64) throws {
        write(value, at: try dynamicEntry(tag) + 8)
    }

    /// The first offset of a text.
    private func find(_ text: String) -> Int? {
        let text = Array(text.utf8)
        guard let first = text.first else { return nil }
        return bytes.indices.dropLast(text.count - 1).first { index in
            bytes[index] == first && bytes[index..<index + text.count].elementsEqual(text)
        }
    }
}
