// SPDX-License-Identifier: Apache-2.0

/// The raw entries of the dynamic section, before strings and symbols are looked up.
struct DynamicTable {
    /// String-table offsets of the `DT_NEEDED` entries, in order.
    private(set) var needed: [UInt64] = []
    /// The values of all other tags; of equal ones the last counts, as it does for the loader.
    private var values: [DynamicTag: UInt64] = [:]

    /// The value of an entry, an address or a number; nil when there is none.
    subscript(tag: DynamicTag) -> UInt64? { values[tag] }

    /// The size of one entry in bytes: a tag and a value.
    private static let entrySize = 16
    /// The maximum number of entries that is read.
    private static let limit = 4_096

    /// Reads the entries up to the terminating one, at the address where the loader reads them; ignores the size.
    ///
    /// - Returns: nil for a file that is not linked dynamically.
    /// - Throws: `unmapped`, `truncated` or `excessive`.
    init?(of segments: [ProgramHeader], reading reader: borrowing ByteReader) throws(ELFError) {
        // The loader uses the last one.
        guard let segment = segments.last(where: { $0.kind == .dynamic }) else { return nil }
        let range = try segments.fileRange(from: segment.address, of: .dynamicSection)
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: Self.entrySize) {
            let tag = DynamicTag(rawValue: try unsafe reader.integer(at: offset, of: .dynamicSection))
            let value = try unsafe reader.integer(UInt64.self, at: offset + 8, of: .dynamicSection)
            if tag.rawValue == 0 { return }
            guard needed.count + values.count < Self.limit else {
                throw .excessive(.dynamicSection, limit: UInt64(Self.limit), found: UInt64(Self.limit) + 1)
            }
            if tag == .needed {
                needed.append(value)
            } else {
                values[tag] = value
            }
        }
    }
}

/// The information for the dynamic loader: the needed libraries, the library's own name and its search paths.
package struct DynamicSection: Equatable, Sendable {
    /// The file names of the needed libraries, in search order.
    package internal(set) var needed: [String] = []
    /// The name that other libraries record when they are linked against this one.
    package internal(set) var soname: String?
    /// Search paths that also apply to indirectly needed libraries; the corresponding tag is `DT_RPATH`.
    package internal(set) var rpath: [String] = []
    /// Search paths for directly needed libraries only; the corresponding tag is `DT_RUNPATH`.
    package internal(set) var runpath: [String] = []

    /// The folders that count for this library's own needs: a `DT_RUNPATH` overrides a `DT_RPATH`.
    var searchPath: [String] { runpath.isEmpty ? rpath : runpath }

    /// Looks up the strings of a table.
    init(
        _ table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard !table.needed.isEmpty || [.soname, .rpath, .runpath].contains(where: { table[$0] != nil })
        else { return }
        var strings = try unsafe StringTable(of: table, in: segments, reading: reader)
        for offset in table.needed { needed.append(try unsafe strings.string(at: offset, reading: reader)) }
        if let offset = table[.soname] { soname = try unsafe strings.string(at: offset, reading: reader) }
        if let offset = table[.rpath] {
            rpath = Self.folders(in: try unsafe strings.string(at: offset, reading: reader))
        }
        if let offset = table[.runpath] {
            runpath = Self.folders(in: try unsafe strings.string(at: offset, reading: reader))
        }
    }

    /// The folders of a search path; empty ones are kept, because the loader treats them as the current folder.
    private static func folders(in text: String) -> [String] {
        text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    /// Reads the dynamic section of a library and nothing else.
    ///
    /// - Throws: also `missing` for a file that is not linked dynamically.
    static func read(
        _ bytes: UnsafeRawBufferPointer, loadedBy loader: (any ByteLoading)? = nil
    ) throws(ELFError) -> (machine: ELFMachine, section: DynamicSection) {
        let reader = unsafe ByteReader(bytes, loadedBy: loader)
        let header = try unsafe ELFHeader(reading: reader)
        let segments = try unsafe ProgramHeader.all(of: header, reading: reader)
        guard let table = try unsafe DynamicTable(of: segments, reading: reader) else {
            throw .missing(.dynamicSection, tag: "PT_DYNAMIC")
        }
        return (header.machine, try unsafe DynamicSection(table, in: segments, reading: reader))
    }
}
