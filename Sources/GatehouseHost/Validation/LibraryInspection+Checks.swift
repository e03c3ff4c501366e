// SPDX-License-Identifier: Apache-2.0

// What only checks want to know of a file.
extension LibraryInspection {
    /// What owner, mode and kind of the file give reason to say.
    var trustWarnings: [String] { Array(warnings.dropLast(verdict.warnings.count)) }

    /// The names of the sections; nil when they cannot be read.
    var sectionNames: [String]? {
        let names = try? unsafe SystemFile.withSparseCopy(of: path) { copy, bytes in
            Result { () throws(ELFError) in
                try unsafe Self.sectionNames(in: ByteReader(bytes, loadedBy: copy))
            }
        }.get()
        return names
    }

    /// Reads the table of sections and the section that holds their names.
    private static func sectionNames(in reader: borrowing ByteReader) throws(ELFError) -> [String] {
        let header = try unsafe ELFHeader(reading: reader)
        let index = try unsafe reader.integer(UInt16.self, at: 62, of: .header)
        let size = UInt64(header.sectionHeaderSize)
        guard size >= 64, index < header.sectionCount else { return [] }
        let table = header.sectionHeaderOffset + UInt64(index) * size
        let start = try unsafe reader.integer(UInt64.self, at: table + 24, of: .sectionHeaders)
        let count = try unsafe reader.integer(UInt64.self, at: table + 32, of: .sectionHeaders)
        let texts = try unsafe reader.copy(at: start, count: min(count, 1 << 16), of: .sectionHeaders)
        var names: [String] = []
        for number in 0..<UInt64(header.sectionCount) {
            let place = header.sectionHeaderOffset + number * size
            let offset = Int(try unsafe reader.integer(UInt32.self, at: place, of: .sectionHeaders))
            guard offset < texts.count else { continue }
            names.append(String(decoding: texts[offset...].prefix { $0 != 0 }, as: UTF8.self))
        }
        return names
    }
}

extension NeedRefusal {
    /// Whether it is about a folder where the loader looks.
    var isAboutRunPath: Bool {
        switch self {
        case .runPath, .libraryPath: true
        case .missing, .place, .file, .bytes, .takenName: false
        }
    }
}
