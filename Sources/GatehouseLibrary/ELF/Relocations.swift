// SPDX-License-Identifier: Apache-2.0

/// The places that the loader writes to when it maps a library, and the values it writes.
///
/// The loader writes wherever the file says, and also reads symbols beyond the end of their table. The memory there differs in each
/// process, so no rehearsal finds such errors reliably. And a pointer that the loader did not write, or wrote wrongly, shows only when
/// an action uses it. Therefore everything that linkers adhere to is checked.
struct Relocations {
    /// The entries of the dynamic section.
    private let table: DynamicTable
    /// The numbers of the kinds on the library's machine; nil for another machine, or an unknown one.
    private let kinds: RelocationKinds?
    /// The symbols whose addresses are written.
    private let symbols: SymbolTable
    /// The parts of the library that are mapped.
    private let loads: [ProgramHeader]
    /// All segments.
    private let segments: [ProgramHeader]
    /// The places that the loader writes to, in the order of the tables.
    private var places: [UInt64] = []
    /// The places of the functions' relocations, each with its size.
    private var slots: [(place: UInt64, size: UInt64)] = []
    /// The symbols that have a slot for calls.
    private var called: Set<UInt32> = []
    /// The symbols that have a slot for their address.
    private var addressed: Set<UInt32> = []

    /// The size of one relocation.
    private static let size: UInt64 = 24
    /// The maximum offset from a symbol of another library; in 2,325 libraries of Debian and Swift it was 2,042 bytes.
    private static let reach: UInt64 = 1 << 16

    /// Collects the tables of a library for the check.
    init(
        _ table: DynamicTable, of machine: ELFMachine, _ symbols: SymbolTable, in segments: [ProgramHeader]
    ) {
        self.table = table
        // The loader of this machine never sees a library of another one.
        kinds = machine == .current ? RelocationKinds(of: machine) : nil
        self.symbols = symbols
        self.segments = segments
        loads = segments.filter { $0.kind == .load }
    }

    /// Checks that all places lie in the library and none is written twice, that all symbols lie in their table, and that each kind
    /// has its proper operands.
    ///
    /// - Throws: `unmapped` for a place outside, `excessive` for an invalid symbol, `mismatch`, or the reason why the tables cannot be
    ///   read.
    consuming func check(reading reader: borrowing ByteReader) throws(ELFError) {
        try require(.relaEntry, Self.size)
        try require(.relrEntry, 8)
        // Without one of these the loader ignores a whole table.
        if table[.jmpRel] != nil, table[.pltRel] == nil || table[.pltRelSize] == nil {
            throw .mismatch(
                .relocations, expected: "the kind and the size of the functions' relocations",
                found: "neither or one of them")
        }
        // The loader treats the functions' relocations as those with addends, whatever the value here.
        try require(.pltRel, DynamicTag.rela.rawValue)
        try unsafe checkTable(.rela, .relaSize, reading: reader)
        try unsafe checkTable(.jmpRel, .pltRelSize, reading: reader)
        try unsafe checkPacked(reading: reader)
        try checkSlots()
        places.sort()
        for (place, next) in zip(places, places.dropFirst()) where next - place < 8 {
            throw .mismatch(
                .relocations, expected: "each place once",
                found: next == place
                    ? "0x\(String(next, radix: 16)) twice"
                    : "0x\(String(place, radix: 16)) and 0x\(String(next, radix: 16)), which overlap")
        }
    }

    /// Checks that an entry of the dynamic section, if present, has its only valid value.
    private func require(_ tag: DynamicTag, _ value: UInt64) throws(ELFError) {
        guard let found = table[tag], found != value else { return }
        if tag != .pltRel { throw .entrySize(.relocations, expected: value, found: found) }
        throw .mismatch(.relocations, expected: "functions' relocations of kind \(value)", found: "\(found)")
    }

    /// Checks one of the two tables of relocations with addends.
    private mutating func checkTable(
        _ start: DynamicTag, _ length: DynamicTag, reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[start], let bytes = table[length], bytes >= Self.size else { return }
        let offset = try segments.fileRange(from: address, of: .relocations).lowerBound
        try unsafe reader.require(at: offset, count: bytes, of: .relocations)
        let isOfFunctions = start == .jmpRel
        let relative = isOfFunctions ? 0 : table[.relaCount] ?? 0
        var index: UInt64 = 0
        for entry in stride(from: offset, through: offset + bytes - Self.size, by: Int(Self.size)) {
            let relocation = Relocation(
                place: try unsafe reader.integer(at: entry, of: .relocations),
                kind: try unsafe reader.integer(at: entry + 8, of: .relocations),
                symbol: try unsafe reader.integer(at: entry + 12, of: .relocations),
                addend: try unsafe reader.integer(at: entry + 16, of: .relocations))
            // The loader ignores the kinds of those that are announced as relative.
            if let kinds, index < relative, relocation.kind != kinds.relative {
                throw .mismatch(
                    .relocations, expected: "\(relative) relative ones at the start",
                    found: "one of kind \(relocation.kind) after \(index)")
            }
            try check(relocation, isOfFunctions: isOfFunctions)
            index += 1
        }
        guard relative <= index else { throw .excessive(.relocations, limit: index, found: relative) }
    }

    /// Checks that the slots for calls are contiguous, as every linker places them.
    private func checkSlots() throws(ELFError) {
        guard kinds != nil else { return }
        let slots = slots.sorted { $0.place < $1.place }
        for (slot, next) in zip(slots, slots.dropFirst()) where next.place - slot.place != slot.size {
            throw .mismatch(
                .relocations, expected: "a slot for calls at 0x\(String(slot.place + slot.size, radix: 16))",
                found: "the next one at 0x\(String(next.place, radix: 16))")
        }
    }

    /// One relocation as the file has it.
    private struct Relocation {
        /// The place that the loader writes to.
        let place: UInt64
        /// How the loader computes the value.
        let kind: UInt32
        /// The index of the symbol; 0 for none.
        let symbol: UInt32
        /// The number to add.
        let addend: UInt64
    }

    /// Checks one relocation, and records its place.
    private mutating func check(_ relocation: Relocation, isOfFunctions: Bool) throws(ELFError) {
        // Kind 0 has no effect; linkers fill unused entries with it.
        guard relocation.kind != 0 else {
            guard relocation.place == 0, relocation.symbol == 0, relocation.addend == 0, !isOfFunctions else {
                throw .mismatch(
                    .relocations, expected: "nothing in an entry of kind 0",
                    found: "the place 0x\(String(relocation.place, radix: 16))")
            }
            return
        }
        try note(relocation.place)
        if let dynamic = segments.first(where: { $0.kind == .dynamic }),
            dynamic.holds(relocation.place, count: 1)
        {
            throw .mismatch(
                .relocations, expected: "places that the loader may write to",
                found: "0x\(String(relocation.place, radix: 16)) in the dynamic section")
        }
        if isOfFunctions {
            // A descriptor of thread-local storage is two words.
            slots.append((relocation.place, relocation.kind == kinds?.storageDescriptor ? 16 : 8))
        }
        if symbols.count > 1, relocation.symbol >= symbols.count {
            throw .excessive(.relocations, limit: symbols.count - 1, found: UInt64(relocation.symbol))
        }
        guard let kinds else { return }
        // The length of a table without a hash is unknown.
        guard relocation.symbol == 0 || Int(relocation.symbol) < symbols.entries.count else { return }
        let symbol = relocation.symbol == 0 ? nil : symbols.entries[Int(relocation.symbol)]
        if let contradiction = contradiction(in: relocation, by: symbol, kinds, isOfFunctions: isOfFunctions)
        {
            throw .mismatch(
                .relocations, expected: contradiction,
                found:
                    "kind \(relocation.kind), symbol \(relocation.symbol) and 0x\(String(relocation.addend, radix: 16)) at 0x\(String(relocation.place, radix: 16))"
            )
        }
    }

    /// What is expected of a relocation that violates it; nil when all is well.
    private mutating func contradiction(
        in relocation: Relocation, by symbol: SymbolTable.Entry?, _ kinds: RelocationKinds,
        isOfFunctions: Bool
    ) -> String? {
        let isFunction =
            symbol.map { [.function, .unspecified, .indirectFunction].contains($0.kind) } ?? false
        // A symbol of this library, or none, refers to the library's own storage.
        let isOwnStorage = symbol?.isDefined ?? true
        switch relocation.kind {
        case kinds.relative:
            // Swift marks addresses in the highest four bits. In the file's header only its first byte, which identifies a library,
            // has an address.
            let address = relocation.addend & ~0 >> 4
            guard relocation.symbol == 0, lies(address), !(1..<64).contains(address) else {
                return "a relative one without symbol, by an address in the library"
            }
            return isOfFunctions ? "slots for calls among the functions' relocations" : nil
        case kinds.indirect:
            return relocation.symbol == 0 && isCode(relocation.addend)
                ? nil : "an indirect one without symbol, by an address in code"
        case kinds.jumpSlot:
            // The loader treats a symbol defined here as a place in this library, whatever its name.
            guard relocation.addend == 0, isFunction, called.insert(relocation.symbol).inserted,
                symbol.map({ !$0.isDefined || $0.value > 0 && isCode($0.value) }) ?? false
            else {
                return "one slot for calls of each function, and nothing added"
            }
            return nil
        case kinds.address where !isOfFunctions:
            guard relocation.addend == 0, let symbol, symbol.kind != .threadLocal,
                !symbol.isDefined || symbol.isAbsolute || symbol.value > 0 && lies(symbol.value),
                addressed.insert(relocation.symbol).inserted
            else { return "one slot for the address of each symbol, and nothing added" }
            return nil
        case kinds.absolute where !isOfFunctions:
            guard let symbol, symbol.kind != .threadLocal,
                symbol.isAbsolute || !symbol.isDefined && relocation.addend < Self.reach
                    || symbol.isDefined && lies(symbol.value &+ relocation.addend)
            else { return "an address of a symbol in the library, or near the beginning of one elsewhere" }
            return nil
        case kinds.storageModule, kinds.storageOffset, kinds.storagePlace, kinds.storageDescriptor:
            let mayStandHere = !isOfFunctions || relocation.kind == kinds.storageDescriptor
            return mayStandHere && isStorage(symbol, relocation, isOwnStorage, kinds)
                ? nil : "a symbol or place in the thread-local storage"
        default: return "a kind that linkers write into libraries"
        }
    }

    /// Whether a relocation refers to existing thread-local storage.
    private func isStorage(
        _ symbol: SymbolTable.Entry?, _ relocation: Relocation, _ isOwn: Bool, _ kinds: RelocationKinds
    ) -> Bool {
        // gold refers to this library's own storage by the symbol of a section in it.
        let isSection = symbol?.kind == .section && isOwn && relocation.kind == kinds.storageModule
        if let symbol, !isSection, ![.threadLocal, .unspecified].contains(symbol.kind) { return false }
        guard isOwn else { return true }
        guard let storage = segments.last(where: { $0.kind == .threadLocal }) else { return false }
        if relocation.kind == kinds.storageModule { return true }
        return (symbol?.value ?? 0) &+ relocation.addend <= storage.memorySize
    }

    /// Whether an address lies in the library, or just past a part of it.
    private func lies(_ address: UInt64) -> Bool { loads.contains { $0.holds(address, count: 0) } }

    /// Whether an address lies in code.
    private func isCode(_ address: UInt64) -> Bool {
        loads.contains { $0.isExecutable && $0.holds(address, count: 1) }
    }

    /// Checks the packed relative relocations.
    private mutating func checkPacked(reading reader: borrowing ByteReader) throws(ELFError) {
        guard let address = table[.relr], let bytes = table[.relrSize], bytes >= 8 else { return }
        let offset = try segments.fileRange(from: address, of: .relocations).lowerBound
        try unsafe reader.require(at: offset, count: bytes, of: .relocations)
        // An even word is a place; an odd one has a bit for each of the 63 places after the ones before.
        var next: UInt64 = 0
        for entry in stride(from: offset, through: offset + bytes - 8, by: 8) {
            let word = try unsafe reader.integer(UInt64.self, at: entry, of: .relocations)
            if word & 1 == 0 {
                try note(word)
                next = word &+ 8
            } else {
                for bit in 0..<63 as Range<UInt64> where word >> (bit + 1) & 1 != 0 {
                    try note(next &+ bit * 8)
                }
                next &+= 63 * 8
            }
        }
    }

    /// Records a place, whose eight bytes must lie in one of the segments.
    private mutating func note(_ place: UInt64) throws(ELFError) {
        guard loads.contains(where: { $0.holds(place, count: 8) }) else {
            throw .unmapped(.relocations, address: place)
        }
        places.append(place)
    }
}

/// A machine's numbers for the kinds of relocations that linkers write into libraries.
struct RelocationKinds {
    /// A symbol's address and an addend: `R_X86_64_64`, `R_AARCH64_ABS64`.
    let absolute: UInt32
    /// A symbol's address: `…_GLOB_DAT`.
    let address: UInt32
    /// A function's address, for calls: `…_JUMP_SLOT`.
    let jumpSlot: UInt32
    /// An address in the library itself: `…_RELATIVE`.
    let relative: UInt32
    /// The result of a function in the library: `…_IRELATIVE`.
    let indirect: UInt32
    /// The number of a library's thread-local storage, an offset in it, an offset from the thread pointer, and a descriptor.
    let storageModule, storageOffset, storagePlace, storageDescriptor: UInt32

    /// The kinds of a machine; nil for an unknown one.
    init?(of machine: ELFMachine) {
        switch machine {
        case .x86_64:
            (absolute, address, jumpSlot, relative, indirect) = (1, 6, 7, 8, 37)
            (storageModule, storageOffset, storagePlace, storageDescriptor) = (16, 17, 18, 36)
        case .aarch64:
            (absolute, address, jumpSlot, relative, indirect) = (257, 1025, 1026, 1027, 1032)
            (storageModule, storageOffset, storagePlace, storageDescriptor) = (1028, 1029, 1030, 1031)
        default: return nil
        }
    }
}
