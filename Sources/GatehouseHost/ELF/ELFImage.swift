// SPDX-License-Identifier: Apache-2.0

/// Everything the host wants to know about a library before any of its code runs.
///
/// Reading takes bytes and gives values: no file is opened, nothing is kept of the memory that was read, and
/// no content whatsoever traps. Work and memory are bounded by the size of the file and the limits of its
/// parts.
///
/// | part | where it is found | type |
/// |---|---|---|
/// | class, byte order, type, machine | first 64 bytes | `ELFHeader` |
/// | segments | program header table | `ProgramHeader` |
/// | notes | segments of type PT_NOTE | `ELFNote` |
/// | needed libraries, own name, search paths | segment of type PT_DYNAMIC | `DynamicSection` |
/// | exported and imported names | DT_SYMTAB, counted by DT_HASH or DT_GNU_HASH | `DynamicSymbol` |
public struct ELFImage: Hashable, Sendable {
    /// The fixed first part of the file.
    public let header: ELFHeader
    /// The segments in table order.
    public let segments: [ProgramHeader]
    /// The notes of all note segments in file order.
    public let notes: [ELFNote]
    /// What the file tells the dynamic loader; nil for a file that is not linked dynamically.
    public let dynamic: DynamicSection?
    /// The dynamic symbols in table order; empty without a dynamic section.
    public let symbols: [DynamicSymbol]

    /// Reads a whole file from memory.
    ///
    /// Safety: the bytes must not change during the call; a sealed or private copy keeps that promise.
    ///
    /// - Throws: the first defect, in the order header, segments, notes, dynamic section, symbols.
    public init(reading bytes: UnsafeRawBufferPointer) throws(ELFError) {
        let reader = unsafe ByteReader(bytes)
        header = try unsafe ELFHeader(reading: reader)
        segments = try unsafe ProgramHeader.all(of: header, reading: reader)
        // Touching a mapped page behind the end of the file would end the process.
        for segment in segments where segment.kind == .load && segment.fileSize > 0 {
            try unsafe reader.require(at: segment.offset, count: segment.fileSize, of: .loadedSegment)
        }
        notes = try unsafe ELFNote.all(in: segments, reading: reader)
        guard let segment = segments.first(where: { $0.kind == .dynamic }) else {
            dynamic = nil
            symbols = []
            return
        }
        let table = try unsafe DynamicTable(in: segment, reading: reader)
        (dynamic, symbols) = try unsafe Self.resolve(table, in: segments, reading: reader)
    }

    /// Reads a whole file from an array.
    ///
    /// - Throws: the first defect, as above.
    public init(reading bytes: [UInt8]) throws(ELFError) {
        self = try unsafe bytes.span.bytes.withUnsafeBytes { (buffer) throws(ELFError) in
            try unsafe ELFImage(reading: buffer)
        }
    }

    /// The names the library offers to others, in table order.
    public var definedNames: [String] { symbols.filter(\.isDefined).map(\.name) }

    /// The names the library asks others for, in table order.
    public var undefinedNames: [String] { symbols.filter { !$0.isDefined }.map(\.name) }

    /// The notes of one owner, in file order.
    public func notes(ownedBy owner: String) -> [ELFNote] { notes.filter { $0.owner == owner } }

    // MARK: - Implementation details

    /// Looks up the strings and symbols that the dynamic section refers to.
    private static func resolve(
        _ table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) -> (DynamicSection, [DynamicSymbol]) {
        var section = DynamicSection()
        let refersToStrings =
            !table.needed.isEmpty || table.soname != nil || table.rpath != nil || table.runpath != nil
        guard refersToStrings || table.symbols != nil else { return (section, []) }

        var strings = try unsafe StringTable(of: table, in: segments, reading: reader)
        for offset in table.needed {
            section.needed.append(try unsafe strings.string(at: offset, reading: reader))
        }
        if let offset = table.soname {
            section.soname = try unsafe strings.string(at: offset, reading: reader)
        }
        if let offset = table.rpath {
            section.rpath = paths(in: try unsafe strings.string(at: offset, reading: reader))
        }
        if let offset = table.runpath {
            section.runpath = paths(in: try unsafe strings.string(at: offset, reading: reader))
        }
        let symbols = try unsafe SymbolTable.symbols(
            of: table, in: segments, strings: &strings, reading: reader)
        return (section, symbols)
    }

    /// The members of a search path; empty ones are kept, because the loader takes them for the current
    /// folder.
    private static func paths(in text: String) -> [String] {
        text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
}
