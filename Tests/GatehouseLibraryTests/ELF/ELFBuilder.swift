// SPDX-License-Identifier: Apache-2.0

/// Builds the smallest ELF files that show what a test needs.
///
/// Headers, notes and tables lie in one segment whose addresses are the file offsets plus `base`; the dynamic section
/// lies in a second, writable one, a page further on.
struct ELFBuilder {
    /// One note; the name's zero and all padding are added while building.
    struct Note {
        /// The owner without its terminating zero.
        var owner: String
        /// The number that tells the type of the note.
        var type: UInt32
        /// The content without padding.
        var content: [UInt8]
    }

    /// One symbol after the empty first one.
    struct Symbol {
        /// The name as it stands in the string table.
        var name: String
        /// Whether a section index is written.
        var isDefined = true
        /// Whether the binding is weak rather than global.
        var isWeak = false
        /// The number of its kind: 2 for a function.
        var kind: UInt8 = 0
    }

    /// Which hash table tells the number of symbols.
    enum Hash { case sysV, gnu, none }

    /// The field `e_machine`; 62 is x86-64.
    var machine: UInt16 = 62
    /// The field `e_type`; 3 is a shared object.
    var type: UInt16 = 3
    /// Names of the `DT_NEEDED` entries.
    var needed: [String] = []
    /// The text of `DT_SONAME`; nil leaves the entry out.
    var soname: String?
    /// The text of `DT_RPATH`; nil leaves the entry out.
    var rpath: String?
    /// The text of `DT_RUNPATH`; nil leaves the entry out.
    var runpath: String?
    /// The symbols of the dynamic symbol table, in order.
    var symbols: [Symbol] = []
    /// The hash table to write.
    var hash = Hash.gnu
    /// The notes of the one note segment.
    var notes: [Note] = []
    /// The alignment that the note segment claims.
    var noteAlignment: UInt64 = 4
    /// Whether there is a dynamic section at all.
    var isDynamic = true
    /// The distance between file offsets and addresses.
    var base: UInt64 = 0x1000

    /// A library with a bit of everything.
    static var complete: ELFBuilder {
        ELFBuilder(
            needed: ["libGatehouseSDK.so", "libc.so.6"], soname: "libGreeter.so",
            rpath: "/opt/lib", runpath: "$ORIGIN:/usr/lib",
            symbols: [
                Symbol(name: "malloc", isDefined: false),
                Symbol(name: "__gmon_start__", isDefined: false, isWeak: true),
                Symbol(name: "gatehouse_plugin_v1_Greeter"),
                Symbol(name: "version", isWeak: true),
            ],
            notes: [
                Note(owner: "GNU", type: 3, content: [1, 2, 3]),
                Note(owner: "gatehouse", type: 1, content: Array("{}      ".utf8)),
            ])
    }

    /// The bytes of the file.
    func bytes() -> [UInt8] {
        let segmentCount = isDynamic ? 5 : 3
        var body = Output(start: 64 + 56 * segmentCount)

        let noteStart = body.position
        for note in notes { body.append(note, padding: noteAlignment == 8 ? 8 : 4) }
        let noteSize = body.position - noteStart

        var dynamicRange = 0..<0
        if isDynamic { dynamicRange = appendDynamic(to: &body) }

        var head = Output(start: 0)
        head.bytes = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
        head.append(type)
        head.append(machine)
        head.append(UInt32(1))
        head.append(UInt64(0))
        head.append(UInt64(64))
        head.append(UInt64(0))
        head.append(UInt32(0))
        for field: UInt16 in [64, 56, UInt16(segmentCount), 64, 0, 0] { head.append(field) }

        /// Writes a program header; the third axis is what memory may be used for.
        func segment(
            _ kind: UInt32, _ range: Range<Int>, may permissions: UInt32, alignment: UInt64,
            shift: UInt64 = 0
        ) {
            head.append(kind)
            head.append(permissions)
            head.append(UInt64(range.lowerBound))
            head.append(UInt64(range.lowerBound) &+ base &+ shift)
            head.append(UInt64(range.lowerBound) &+ base &+ shift)
            head.append(UInt64(range.count))
            head.append(UInt64(range.count))
            head.append(alignment)
        }
        let readable = isDynamic ? dynamicRange.lowerBound : body.position
        segment(1, 0..<readable, may: 5, alignment: 0x1000)
        segment(4, noteStart..<noteStart + noteSize, may: 4, alignment: noteAlignment)
        if isDynamic {
            segment(2, dynamicRange, may: 6, alignment: 8, shift: 0x1000)
            segment(1, dynamicRange, may: 6, alignment: 0x1000, shift: 0x1000)
        }
        segment(0x6474_e551, 0..<0, may: 6, alignment: 16)
        return head.bytes + body.bytes
    }

    /// Writes strings, symbols, hash table and dynamic section; gives the range of the last.
    private func appendDynamic(to body: inout Output) -> Range<Int> {
        var strings: [UInt8] = [0]
        func offset(of text: String) -> UInt64 {
            defer { strings += Array(text.utf8) + [0] }
            return UInt64(strings.count)
        }
        var entries: [(UInt64, UInt64)] = needed.map { (1, offset(of: $0)) }
        if let soname { entries.append((14, offset(of: soname))) }
        if let rpath { entries.append((15, offset(of: rpath))) }
        if let runpath { entries.append((29, offset(of: runpath))) }
        // A GNU hash table wants undefined symbols first.
        let ordered = symbols.filter { !$0.isDefined } + symbols.filter(\.isDefined)
        let names = ordered.map { offset(of: $0.name) }

        body.pad(to: 8)
        entries += [(5, UInt64(body.position) &+ base), (10, UInt64(strings.count))]
        body.bytes += strings
        body.pad(to: 8)
        entries += [(6, UInt64(body.position) &+ base), (11, 24)]
        body.bytes += [UInt8](repeating: 0, count: 24)
        for (symbol, name) in zip(ordered, names) {
            body.append(UInt32(name))
            body.append(UInt8((symbol.isWeak ? 2 : 1) << 4) | symbol.kind)
            body.append(UInt8(0))
            body.append(UInt16(symbol.isDefined ? 1 : 0))
            body.append(symbol.isDefined ? base : 0)
            body.append(UInt64(0))
        }
        let hashAddress = UInt64(body.position) &+ base
        switch hash {
        case .sysV:
            entries.append((4, hashAddress))
            for field in [1, UInt32(ordered.count + 1)] { body.append(field) }
            // One bucket, and each symbol leads to the next.
            body.append(UInt32(ordered.isEmpty ? 0 : 1))
            for index in 0...ordered.count {
                body.append(UInt32(index == 0 || index == ordered.count ? 0 : index + 1))
            }
        case .gnu:
            entries.append((0x6fff_fef5, hashAddress))
            let defined = ordered.count(where: \.isDefined)
            let first = UInt32(ordered.count - defined + 1)
            for field in [1, first, 1, 0] { body.append(field) }
            body.append(UInt64.max)
            body.append(defined == 0 ? 0 : first)
            for (index, symbol) in ordered.suffix(defined).enumerated() {
                let hash = symbol.name.utf8.reduce(UInt32(5_381)) { $0 &* 33 &+ UInt32($1) }
                body.append(hash & ~1 | (index == defined - 1 ? 1 : 0))
            }
        case .none: break
        }
        body.pad(to: 8)
        let start = body.position
        for (tag, value) in entries + [(0, 0)] {
            body.append(tag)
            body.append(value)
        }
        return start..<body.position
    }

    /// Little-endian bytes with a known distance from the start of the file.
    private struct Output {
        /// The bytes that were written so far.
        var bytes: [UInt8] = []
        /// The offset of the first written byte.
        let start: Int

        /// Starts empty at an offset.
        init(start: Int) { self.start = start }

        /// The offset of the next byte.
        var position: Int { start + bytes.count }

        /// Appends an integer in little-endian order.
        mutating func append(_ number: some FixedWidthInteger) {
            for shift in stride(from: 0, to: number.bitWidth, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }

        /// Writes zeros up to a multiple of an offset.
        mutating func pad(to alignment: Int) {
            while position % alignment != 0 { bytes.append(0) }
        }

        /// Writes a note whose padding is counted from its own start.
        mutating func append(_ note: Note, padding: Int) {
            let start = bytes.count
            append(UInt32(note.owner.utf8.count + 1))
            append(UInt32(note.content.count))
            append(note.type)
            bytes += Array(note.owner.utf8) + [0]
            while (bytes.count - start) % padding != 0 { bytes.append(0) }
            bytes += note.content
            while (bytes.count - start) % padding != 0 { bytes.append(0) }
        }
    }
}
