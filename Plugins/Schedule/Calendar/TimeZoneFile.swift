// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The files of the system's time zone database, in the form of RFC 9636.
enum TimeZoneFile {
    /// The folder of the files.
    static let folder = "/usr/share/zoneinfo"

    /// Returns the rules of a zone such as `Europe/Berlin`; nil when there is no such zone, or its file is damaged.
    ///
    /// A zone's name consists of words with slashes between them, each beginning with a letter, so no name leads elsewhere.
    static func rules(of zone: String) -> TimeZoneRules? {
        if zone == "UTC" { return .utc }
        guard isName(zone), let bytes = contents(of: folder + "/" + zone) else { return nil }
        return rules(from: bytes)
    }

    /// Returns whether a text could be the name of a zone.
    static func isName(_ text: String) -> Bool {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        return words.count > 1 && text.utf8.count <= 64
            && words.allSatisfy { word in
                word.first?.isUppercase == true
                    && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-+".contains($0)) }
            }
    }

    /// Reads a whole file; nil when it cannot be read.
    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    /// Reads the bytes of a file; nil if they are damaged, or older than version 2 of the format.
    static func rules(from bytes: [UInt8]) -> TimeZoneRules? {
        var reader = Reader(bytes: bytes)
        // A block with moments of four bytes comes first, for very old programs. A file of version 1 has no other.
        guard let old = reader.header() else { return nil }
        reader.index += old.size(ofMoment: 4)
        guard let header = reader.header(), header.types > 0,
            reader.index + header.size(ofMoment: 8) <= bytes.count
        else { return nil }
        let transitions = (0..<header.transitions).map { _ in Int64(bitPattern: reader.number(8)) }
        let indices = (0..<header.transitions).map { _ in Int(reader.number(1)) }
        var types: [Int] = []
        for _ in 0..<header.types {
            types.append(Int(Int32(truncatingIfNeeded: reader.number(4))))
            // Whether it is daylight saving time, and its abbreviation.
            reader.index += 2
        }
        guard indices.allSatisfy({ $0 < types.count }), types.allSatisfy({ abs($0) < 100_000 }),
            zip(transitions, transitions.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        reader.index += header.size(afterTypesOfMoment: 8)
        let line = bytes[min(reader.index + 1, bytes.count)...].prefix { $0 != UInt8(ascii: "\n") }
        let yearly = line.isEmpty ? nil : YearlyRule(String(decoding: line, as: UTF8.self))
        if !line.isEmpty, yearly == nil { return nil }
        return TimeZoneRules(
            transitions: transitions, offsets: indices.map { types[$0] }, first: types[0], yearly: yearly)
    }

    /// The sizes in the header of a block.
    private struct Header {
        /// The number of each: marks of universal and of standard time, leap seconds, transitions, types, characters.
        let universal, standard, leaps, transitions, types, characters: Int

        /// Returns the bytes of the block after the header.
        func size(ofMoment width: Int) -> Int {
            transitions * (width + 1) + types * 6 + size(afterTypesOfMoment: width)
        }

        /// Returns the bytes of the block after its types.
        func size(afterTypesOfMoment width: Int) -> Int {
            characters + leaps * (width + 4) + standard + universal
        }
    }

    /// Reads a file from its beginning.
    private struct Reader {
        /// The file.
        let bytes: [UInt8]
        /// The index of the next byte.
        var index = 0

        /// Reads a big-endian number of this many bytes, which must exist.
        mutating func number(_ width: Int) -> UInt64 {
            defer { index += width }
            return bytes[index..<index + width].reduce(0) { $0 << 8 | UInt64($1) }
        }

        /// Reads the header of a block; nil if there is none.
        mutating func header() -> Header? {
            guard index >= 0, index + 44 <= bytes.count, bytes[index..<index + 4].elementsEqual("TZif".utf8)
            else { return nil }
            index += 20
            let counts = (0..<6).map { _ in Int(number(4)) }
            return Header(
                universal: counts[0], standard: counts[1], leaps: counts[2], transitions: counts[3],
                types: counts[4], characters: counts[5])
        }
    }
}
