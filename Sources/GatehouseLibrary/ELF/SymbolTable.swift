// SPDX-License-Identifier: Apache-2.0

/// The dynamic symbols.
///
/// The file gives their number only indirectly, through one of the two hash tables.
struct SymbolTable {
    /// All symbols with a name, in table order; none for a file without symbols.
    private(set) var symbols: [DynamicSymbol] = []
    /// All entries, including those without a name and the empty first one.
    private(set) var entries: [Entry] = []
    /// The number of entries, including those without a name and the empty first one; 0 for a file without symbols.
    private(set) var count: UInt64 = 0

    /// Reads all symbols.
    ///
    /// - Throws: `missing`, `unmapped`, `entrySize`, `truncated`, `unterminated` or `excessive`.
    init(
        of table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[.symTab] else { return }
        var strings = try unsafe StringTable(of: table, in: segments, reading: reader)
        if let size = table[.symEntry], size != DynamicSymbol.size {
            throw .entrySize(.symbolTable, expected: DynamicSymbol.size, found: size)
        }
        let start = try segments.fileRange(from: address, of: .symbolTable).lowerBound
        count = try unsafe Self.count(of: table, in: segments, reading: reader)
        let (bytes, overflows) = count.multipliedReportingOverflow(by: DynamicSymbol.size)
        try unsafe reader.require(at: start, count: overflows ? .max : bytes, of: .symbolTable)
        try unsafe SymbolVersions.check(table, count: count, in: segments, reading: reader)
        guard count > 1 else { return }

        symbols.reserveCapacity(Int(count) - 1)
        entries.reserveCapacity(Int(count))
        for index in 0..<count {
            let offset = start + index * DynamicSymbol.size
            let entry = try unsafe Entry(at: offset, reading: reader)
            entries.append(entry)
            let name = try unsafe reader.integer(UInt32.self, at: offset, of: .symbolTable)
            // Section symbols have no name and no meaning to a loader.
            guard index > 0, name != 0 else { continue }
            symbols.append(
                DynamicSymbol(
                    name: try unsafe strings.string(at: UInt64(name), reading: reader), kind: entry.kind,
                    isWeak: entry.binding == 2, isUnique: entry.binding == 10,
                    isExported: entry.binding != 0 && !entry.isHidden, isDefined: entry.isDefined))
        }
    }

    /// Checks that functions lie in code and thread-local variables in their storage, and that undefined symbols have no place
    /// here and can be looked up.
    ///
    /// - Parameter sectionCount: the number of sections; 0 where the file does not give it.
    /// - Throws: `mismatch`, or `excessive` for an invalid section.
    func check(in segments: [ProgramHeader], sectionCount: UInt16) throws(ELFError) {
        let storage = segments.last { $0.kind == .threadLocal }
        for (index, entry) in entries.enumerated().dropFirst() {
            guard entry.isDefined else {
                // The loader treats a hidden or local name as this library's own, at the value given here.
                guard entry.binding != 0, !entry.isHidden, entry.value == 0 else {
                    throw .mismatch(
                        .symbolTable, expected: "symbol \(index), which others define, to be looked up",
                        found: entry.value == 0
                            ? "a local or hidden one" : "one at 0x\(String(entry.value, radix: 16))")
                }
                continue
            }
            // The value of an absolute symbol is a number.
            guard !entry.isAbsolute else { continue }
            if sectionCount > 0, entry.section >= sectionCount {
                throw .excessive(.symbolTable, limit: UInt64(sectionCount) - 1, found: UInt64(entry.section))
            }
            let isInside =
                switch entry.kind {
                case .function, .indirectFunction:
                    segments.contains {
                        $0.kind == .load && $0.isExecutable
                            && $0.holds(entry.value, count: max(1, entry.size))
                    }
                case .threadLocal:
                    storage.map { entry.value <= $0.memorySize && entry.size <= $0.memorySize - entry.value }
                        ?? false
                default: true
                }
            guard isInside else {
                throw .mismatch(
                    .symbolTable,
                    expected: entry.kind == .threadLocal
                        ? "symbol \(index) inside the thread-local storage" : "symbol \(index) inside code",
                    found: "it at 0x\(String(entry.value, radix: 16)) with \(entry.size) bytes")
            }
        }
    }

    /// An entry as the file has it, without its name.
    struct Entry {
        /// The kind of thing that it names.
        let kind: DynamicSymbol.Kind
        /// 0 for local, 1 for global, 2 for weak, 10 for unique in the process.
        let binding: UInt8
        /// Whether it is private to this library: of visibility 1, internal, or 2, hidden.
        let isHidden: Bool
        /// The index of the section that contains the thing; 0 for none.
        let section: UInt16
        /// Its address, relative to where the library is loaded, or to the thread's storage.
        let value: UInt64
        /// Its size in bytes.
        let size: UInt64

        /// Whether the library defines the thing itself.
        var isDefined: Bool { section != 0 }
        /// Whether its value is no address: `SHN_ABS` and other indexes with a meaning.
        var isAbsolute: Bool { section >= 0xff00 }

        /// Reads the entry at an offset.
        init(at offset: UInt64, reading reader: borrowing ByteReader) throws(ELFError) {
            let info = try unsafe reader.integer(UInt8.self, at: offset + 4, of: .symbolTable)
            kind = DynamicSymbol.Kind(rawValue: info & 15)
            binding = info >> 4
            isHidden = [1, 2].contains(
                try unsafe reader.integer(UInt8.self, at: offset + 5, of: .symbolTable) & 3)
            section = try unsafe reader.integer(at: offset + 6, of: .symbolTable)
            value = try unsafe reader.integer(at: offset + 8, of: .symbolTable)
            size = try unsafe reader.integer(at: offset + 16, of: .symbolTable)
        }
    }

    /// The number of entries, according to one of the hash tables.
    private static func count(
        of table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) -> UInt64 {
        if let address = table[.hash] {
            let start = try segments.fileRange(from: address, of: .hashTable).lowerBound
            try unsafe reader.require(at: start, count: 8, of: .hashTable)
            return UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .hashTable))
        }
        if let address = table[.gnuHash] {
            let start = try segments.fileRange(from: address, of: .hashTable).lowerBound
            return try unsafe GNUHashTable.symbolCount(at: start, reading: reader)
        }
        throw .missing(.hashTable, tag: "DT_HASH or DT_GNU_HASH")
    }
}

/// One name that a library defines for others or needs from others.
package struct DynamicSymbol: Hashable, Sendable {
    /// The kind of thing that a name refers to; unknown numbers are kept.
    struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number as written in the file; the corresponding field is the lower half of `st_info`.
        let rawValue: UInt8

        /// Unknown or irrelevant; the corresponding C constant is `STT_NOTYPE`.
        static let unspecified = Kind(rawValue: 0)
        /// A variable; the corresponding C constant is `STT_OBJECT`.
        static let variable = Kind(rawValue: 1)
        /// A function; the corresponding C constant is `STT_FUNC`.
        static let function = Kind(rawValue: 2)
        /// A section of the file, by which gold refers to thread-local storage; the corresponding C constant is `STT_SECTION`.
        static let section = Kind(rawValue: 3)
        /// A thread-local variable; the corresponding C constant is `STT_TLS`.
        static let threadLocal = Kind(rawValue: 6)
        /// A function that selects the function to use; the corresponding C constant is `STT_GNU_IFUNC`.
        static let indirectFunction = Kind(rawValue: 10)
    }

    /// The name as linked, mangled and without a version.
    package let name: String
    /// The kind of thing that it names.
    let kind: Kind
    /// Whether loading continues when the name is not found.
    let isWeak: Bool
    /// Whether the first library of a process that defines it answers for all, however they are loaded; the corresponding C
    /// constant is `STB_GNU_UNIQUE`.
    let isUnique: Bool
    /// Whether other libraries can see it: neither local nor hidden.
    package let isExported: Bool
    /// Whether the library defines the thing itself; otherwise the loader must find it elsewhere.
    package let isDefined: Bool

    /// The size of one entry of the symbol table, in bytes.
    static let size: UInt64 = 24
}
