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
/// | what the loader would trip over | all tables that it goes through | `ELFDamage` |
public struct ELFImage: Equatable, Sendable {
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
    /// What would mislead the dynamic loader; looked for in shared objects with a dynamic section only.
    public let damage: [ELFDamage]

    /// Reads a whole file from memory.
    ///
    /// Safety: the bytes must not change during the call; a sealed or private copy keeps that promise.
    ///
    /// - Parameter loader: brings bytes into the memory just before they are read; nil when all are there.
    /// - Throws: the first defect, in the order header, segments, sections, notes, dynamic section, symbols.
    public init(
        reading bytes: UnsafeRawBufferPointer, loadedBy loader: (any ByteLoading)? = nil
    ) throws(ELFError) {
        let reader = unsafe ByteReader(bytes, loadedBy: loader)
        header = try unsafe ELFHeader(reading: reader)
        segments = try unsafe ProgramHeader.all(of: header, reading: reader)
        // Touching a mapped page behind the end of the file would end the process.
        for segment in segments where segment.kind == .load && segment.fileSize > 0 {
            try unsafe reader.require(at: segment.offset, count: segment.fileSize, of: .loadedSegment)
        }
        let sections = try unsafe SectionHeader.all(of: header, reading: reader)
        notes = try unsafe ELFNote.all(in: segments, reading: reader)
        // The loader takes the last one.
        guard let segment = segments.last(where: { $0.kind == .dynamic }) else {
            dynamic = nil
            symbols = []
            damage = []
            return
        }
        let table = try unsafe DynamicTable(in: segment, reading: reader)
        let (dynamic, symbols) = try unsafe Self.resolve(table, in: segments, reading: reader)
        self.dynamic = dynamic
        self.symbols = symbols.symbols
        guard header.type == .sharedObject else {
            damage = []
            return
        }
        var check = LoaderCheck(
            header: header, segments: segments, sections: sections, table: table, dynamic: dynamic,
            symbols: symbols)
        unsafe check.run(reading: reader)
        damage = check.damage
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
    ) throws(ELFError) -> (DynamicSection, SymbolTable) {
        var section = DynamicSection()
        let refersToStrings =
            !table.needed.isEmpty || [.soname, .rpath, .runpath, .symTab].contains { table[$0] != nil }
        guard refersToStrings else { return (section, SymbolTable()) }

        var strings = try unsafe StringTable(of: table, in: segments, reading: reader)
        for offset in table.needed {
            section.needed.append(try unsafe strings.string(at: offset, reading: reader))
        }
        if let offset = table[.soname] {
            section.soname = try unsafe strings.string(at: offset, reading: reader)
        }
        if let offset = table[.rpath] {
            section.rpath = paths(in: try unsafe strings.string(at: offset, reading: reader))
        }
        if let offset = table[.runpath] {
            section.runpath = paths(in: try unsafe strings.string(at: offset, reading: reader))
        }
        let symbols = try unsafe SymbolTable(
            of: table, in: segments, strings: &strings, reading: reader)
        return (section, symbols)
    }

    /// The members of a search path; empty ones are kept, because the loader takes them for the current
    /// folder.
    private static func paths(in text: String) -> [String] {
        text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
}
