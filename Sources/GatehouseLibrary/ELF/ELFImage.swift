// SPDX-License-Identifier: Apache-2.0

/// Everything the host needs to know about a library before any of its code runs.
///
/// Reading converts bytes to values: it opens no file, keeps no reference to the memory it read, and traps on no content
/// whatsoever. Work and memory are bounded by the size of the file and the limits of its parts.
///
/// | part | where it is found | type |
/// |---|---|---|
/// | class, byte order, type, machine | first 64 bytes | `ELFHeader` |
/// | segments | program header table | `ProgramHeader` |
/// | notes | segments of type PT_NOTE | `ELFNote` |
/// | needed libraries, own name, search paths | segment of type PT_DYNAMIC | `DynamicSection` |
/// | exported and imported names | DT_SYMTAB, counted by DT_HASH or DT_GNU_HASH | `DynamicSymbol` |
/// | what weakens the process | segments and PT_DYNAMIC | `ELFHazard` |
package struct ELFImage: Equatable, Sendable {
    /// The fixed first part of the file.
    let header: ELFHeader
    /// The segments in table order.
    let segments: [ProgramHeader]
    /// The notes of all note segments in file order.
    let notes: [ELFNote]
    /// The information for the dynamic loader; nil for a file that is not linked dynamically.
    let dynamic: DynamicSection?
    /// The dynamic symbols in table order; empty without a dynamic section.
    package let symbols: [DynamicSymbol]
    /// What the loader would accept and the host refuses; only shared objects with a dynamic section are checked.
    let hazards: [ELFHazard]

    /// Reads a whole file from memory.
    ///
    /// Safety: the bytes must not change during the call; use a sealed or private copy.
    ///
    /// - Parameter loader: brings bytes into the memory just before they are read; nil when all are there.
    /// - Throws: the first defect, in the order header, segments, notes, dynamic section, symbols, thread-local storage,
    ///   relocations, sections.
    init(
        reading bytes: UnsafeRawBufferPointer, loadedBy loader: (any ByteLoading)? = nil
    ) throws(ELFError) {
        let reader = unsafe ByteReader(bytes, loadedBy: loader)
        header = try unsafe ELFHeader(reading: reader)
        segments = try unsafe ProgramHeader.all(of: header, reading: reader)
        // Touching a mapped page beyond the end of the file would end the process.
        for segment in segments where segment.kind == .load && segment.fileSize > 0 {
            try unsafe reader.require(at: segment.offset, count: segment.fileSize, of: .loadedSegment)
        }
        // The loader ignores sections, but as the last part of a file they reveal a truncated one.
        if header.sectionCount > 0 {
            try unsafe reader.require(
                at: header.sectionHeaderOffset,
                count: UInt64(header.sectionCount) * UInt64(header.sectionHeaderSize), of: .sectionHeaders)
        }
        notes = try unsafe ELFNote.all(in: segments, reading: reader)
        guard let table = try unsafe DynamicTable(of: segments, reading: reader) else {
            (dynamic, symbols, hazards) = (nil, [], [])
            return
        }
        dynamic = try unsafe DynamicSection(table, in: segments, reading: reader)
        let symbolTable = try unsafe SymbolTable(of: table, in: segments, reading: reader)
        symbols = symbolTable.symbols
        guard header.type == .sharedObject else {
            hazards = []
            return
        }
        try ThreadLocalStorage.check(segments)
        try symbolTable.check(in: segments, sectionCount: header.sectionCount)
        try unsafe Relocations(table, of: header.machine, symbolTable, in: segments).check(reading: reader)
        try unsafe SectionTable(header: header, segments: segments, table: table).check(reading: reader)
        hazards = ELFHazard.all(in: segments, table, symbols)
    }

    /// Reads a whole file from an array.
    ///
    /// - Throws: the first defect, as above.
    init(reading bytes: [UInt8]) throws(ELFError) {
        self = try unsafe bytes.span.bytes.withUnsafeBytes { (buffer) throws(ELFError) in
            try unsafe ELFImage(reading: buffer)
        }
    }

    /// The names that the library defines for others, in table order.
    var definedNames: [String] { symbols.filter(\.isDefined).map(\.name) }

    /// The names that the library needs from others, in table order.
    var undefinedNames: [String] { symbols.filter { !$0.isDefined }.map(\.name) }

    /// The notes of one owner, in file order.
    func notes(ownedBy owner: String) -> [ELFNote] { notes.filter { $0.owner == owner } }
}
