// SPDX-License-Identifier: Apache-2.0

/// The dynamic symbols.
///
/// The file tells their number only indirectly, through one of the two hash tables.
struct SymbolTable {
    /// All symbols with a name, in table order; none for a file without symbols.
    private(set) var symbols: [DynamicSymbol] = []
    /// The number of entries, those without a name and the empty first one included; 0 for a file without symbols.
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
        for index in 1..<count {
            let offset = start + index * DynamicSymbol.size
            let name = try unsafe reader.integer(UInt32.self, at: offset, of: .symbolTable)
            // Section symbols have no name and mean nothing to a loader.
            guard name != 0 else { continue }
            let info = try unsafe reader.integer(UInt8.self, at: offset + 4, of: .symbolTable)
            let visibility = try unsafe reader.integer(UInt8.self, at: offset + 5, of: .symbolTable) & 3
            symbols.append(
                DynamicSymbol(
                    name: try unsafe strings.string(at: UInt64(name), reading: reader),
                    kind: DynamicSymbol.Kind(rawValue: info & 15), isWeak: info >> 4 == 2,
                    // Binding 0 is local; visibility 1 is internal and 2 hidden.
                    isExported: info >> 4 != 0 && visibility != 1 && visibility != 2,
                    isDefined: try unsafe reader.integer(UInt16.self, at: offset + 6, of: .symbolTable) != 0))
        }
    }

    /// The number of entries, as one of the hash tables tells it.
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
            return try unsafe GNUHashTable(at: start, reading: reader).symbolCount(reading: reader)
        }
        throw .missing(.hashTable, tag: "DT_HASH or DT_GNU_HASH")
    }
}

/// One name that a library offers to others or asks others for.
public struct DynamicSymbol: Hashable, Sendable {
    /// What a name stands for; unknown numbers are kept.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number as written in the file; the corresponding field is the lower half of `st_info`.
        public let rawValue: UInt8

        /// Wraps any number, known or not.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Unknown or of no matter; the corresponding C constant is `STT_NOTYPE`.
        public static let unspecified = Kind(rawValue: 0)
        /// A variable; the corresponding C constant is `STT_OBJECT`.
        public static let variable = Kind(rawValue: 1)
        /// A function; the corresponding C constant is `STT_FUNC`.
        public static let function = Kind(rawValue: 2)
        /// A thread-local variable; the corresponding C constant is `STT_TLS`.
        public static let threadLocal = Kind(rawValue: 6)
        /// A function that finds the function to use; the corresponding C constant is `STT_GNU_IFUNC`.
        public static let indirectFunction = Kind(rawValue: 10)
    }

    /// The name as linked, mangled and without a version.
    public let name: String
    /// What it stands for.
    public let kind: Kind
    /// Whether loading goes on when the name is found nowhere.
    public let isWeak: Bool
    /// Whether other libraries can see it: neither local nor hidden.
    public let isExported: Bool
    /// Whether the library holds the thing itself; otherwise it must be found elsewhere while loading.
    public let isDefined: Bool

    /// The size of one entry of the symbol table, in bytes.
    static let size: UInt64 = 24
}
