// SPDX-License-Identifier: Apache-2.0

/// The raw entries of the dynamic section, before strings and symbols are looked up.
struct DynamicTable {
    /// String-table offsets of the `DT_NEEDED` entries, in order.
    private(set) var needed: [UInt64] = []
    /// All other tags in order, each once.
    private(set) var tags: [DynamicTag] = []
    /// Whether a terminating entry was found inside the segment.
    private(set) var isTerminated = false
    /// The values by tag; the last of equal tags counts, as it does for the loader.
    private var values: [DynamicTag: UInt64] = [:]

    /// The value of an entry, an address or a number; nil when there is none.
    subscript(tag: DynamicTag) -> UInt64? { values[tag] }

    /// The size of one entry in bytes: a tag and a value.
    private static let entrySize: UInt64 = 16
    /// The greatest number of entries that is read.
    private static let limit = 4_096

    /// Reads the entries up to the terminating one or the end of the segment.
    ///
    /// - Throws: `truncated` or `excessive`.
    init(in segment: ProgramHeader, reading reader: borrowing ByteReader) throws(ELFError) {
        try unsafe reader.require(at: segment.offset, count: segment.fileSize, of: .dynamicSection)
        for index in 0..<segment.fileSize / Self.entrySize {
            let offset = segment.offset + index * Self.entrySize
            let tag = DynamicTag(rawValue: try unsafe reader.integer(at: offset, of: .dynamicSection))
            let value = try unsafe reader.integer(UInt64.self, at: offset + 8, of: .dynamicSection)
            if tag.rawValue == 0 {
                isTerminated = true
                return
            }
            guard needed.count + tags.count < Self.limit else {
                throw .excessive(.dynamicSection, limit: UInt64(Self.limit), found: UInt64(Self.limit) + 1)
            }
            if tag == .needed {
                needed.append(value)
            } else if values.updateValue(value, forKey: tag) == nil {
                tags.append(tag)
            }
        }
    }
}

/// What a library tells the dynamic loader: the libraries it needs, its own name and its search paths.
public struct DynamicSection: Hashable, Sendable {
    /// The file names of the libraries this one needs, in search order.
    public internal(set) var needed: [String] = []
    /// The name that other libraries record when they are linked against this one.
    public internal(set) var soname: String?
    /// Search paths that also serve the libraries needed further down; the corresponding tag is `DT_RPATH`.
    public internal(set) var rpath: [String] = []
    /// Search paths for this library's own needs; the corresponding tag is `DT_RUNPATH`.
    public internal(set) var runpath: [String] = []

    /// The folders that count for this library's own needs: a `DT_RUNPATH` puts a `DT_RPATH` out of force.
    var searchPath: [String] { runpath.isEmpty ? rpath : runpath }
}
