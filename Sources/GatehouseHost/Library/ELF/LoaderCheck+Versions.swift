// SPDX-License-Identifier: Apache-2.0

extension LoaderCheck {
    /// The greatest number of records that is read of one table.
    private static var versionLimit: UInt64 { 4_096 }

    /// Checks that each symbol's version is one that the tables of versions know.
    mutating func checkVersions(reading reader: borrowing ByteReader) throws(ELFError) {
        guard let address = table[.verSym] else { return }
        // 0 is local and 1 global; both need no record.
        var known: Set<UInt16> = [0, 1]
        try unsafe readNeeded(&known, reading: reader)
        try unsafe readDefined(&known, reading: reader)
        let start = try fileOffset(of: address, count: symbols.count * 2, part: .versions)
        for index in 0..<symbols.count {
            let word = try unsafe reader.integer(UInt16.self, at: start + index * 2, of: .versions)
            // The top bit hides a version from the linker.
            let number = word & 0x7fff
            expect(.versions, "numbers with a record", found: "\(number)", if: known.contains(number))
        }
    }

    /// Reads the versions that this library wants of others: the file's name and a list for each.
    private mutating func readNeeded(
        _ known: inout Set<UInt16>, reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[.verNeed], let count = table[.verNeedCount] else { return }
        guard count <= Self.versionLimit else {
            throw .excessive(.versions, limit: Self.versionLimit, found: count)
        }
        var record = address
        var total: UInt64 = 0
        for number in 0..<count {
            let start = try fileOffset(of: record, count: 16, part: .versions)
            let files = try unsafe reader.integer(UInt16.self, at: start + 2, of: .versions)
            let name = try unsafe reader.integer(UInt32.self, at: start + 4, of: .versions)
            let isRecord = try unsafe reader.integer(UInt16.self, at: start, of: .versions) == 1
            expect(.versions, "records of version 1", found: "another", if: isRecord)
            // The loader looks for the file among those that were needed, and gives up when it is none of them.
            let file = try unsafe text(at: name, reading: reader)
            expect(
                .versions, "the name of a needed library", found: "another text",
                if: dynamic.needed.contains(file))
            var part = record &+ UInt64(try unsafe reader.integer(UInt32.self, at: start + 8, of: .versions))
            // Small records that share bytes could otherwise stand for millions.
            total += UInt64(files)
            guard total <= Self.versionLimit else {
                throw .excessive(.versions, limit: Self.versionLimit, found: total)
            }
            for index in 0..<files {
                let place = try fileOffset(of: part, count: 16, part: .versions)
                known.insert(try unsafe reader.integer(UInt16.self, at: place + 6, of: .versions) & 0x7fff)
                _ = try unsafe text(
                    at: reader.integer(UInt32.self, at: place + 8, of: .versions), reading: reader)
                let next = try unsafe reader.integer(UInt32.self, at: place + 12, of: .versions)
                expectEnd(next, isLast: index == files - 1)
                if next == 0 { break }
                part = part &+ UInt64(next)
            }
            let next = try unsafe reader.integer(UInt32.self, at: start + 12, of: .versions)
            expectEnd(next, isLast: number == count - 1)
            if next == 0 { break }
            record = record &+ UInt64(next)
        }
    }

    /// Reads the versions that this library offers.
    private mutating func readDefined(
        _ known: inout Set<UInt16>, reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[.verDef], let count = table[.verDefCount] else { return }
        guard count <= Self.versionLimit else {
            throw .excessive(.versions, limit: Self.versionLimit, found: count)
        }
        var record = address
        for number in 0..<count {
            let start = try fileOffset(of: record, count: 20, part: .versions)
            let isRecord = try unsafe reader.integer(UInt16.self, at: start, of: .versions) == 1
            expect(.versions, "records of version 1", found: "another", if: isRecord)
            known.insert(try unsafe reader.integer(UInt16.self, at: start + 4, of: .versions) & 0x7fff)
            let part = record &+ UInt64(try unsafe reader.integer(UInt32.self, at: start + 12, of: .versions))
            let place = try fileOffset(of: part, count: 8, part: .versions)
            _ = try unsafe text(at: reader.integer(UInt32.self, at: place, of: .versions), reading: reader)
            let next = try unsafe reader.integer(UInt32.self, at: start + 16, of: .versions)
            expectEnd(next, isLast: number == count - 1)
            if next == 0 { break }
            record = record &+ UInt64(next)
        }
    }

    /// The loader follows the links and ignores the counts, so both must agree.
    private mutating func expectEnd(_ next: UInt32, isLast: Bool) {
        expect(
            .versions, isLast ? "no record behind the last" : "another record", found: "a link of \(next)",
            if: (next == 0) == isLast)
    }

    /// A text of the dynamic string table.
    private func text(at offset: UInt32, reading reader: borrowing ByteReader) throws(ELFError) -> String {
        var strings = try unsafe StringTable(of: table, in: segments, reading: reader)
        return try unsafe strings.string(at: UInt64(offset), reading: reader)
    }
}
