// SPDX-License-Identifier: Apache-2.0

/// The dynamic loader's list of libraries, which `ldconfig` writes.
///
/// The file is a header of 48 bytes, entries of 24 (flags, offset of the name, offset of the path, three numbers more), and
/// texts that end with zeros. Anything else is taken for no list at all.
enum LoaderCache {
    /// Where it is.
    private static let file = "/etc/ld.so.cache"
    /// The first bytes of the format.
    private static let magic = Array("glibc-ld.so.cache1.1".utf8)
    /// The greatest size that is read, in bytes.
    private static let sizeLimit = 16 << 20

    /// The path that the list has for a name; nil when there is none or the list cannot be read.
    static func path(of name: String) -> String? {
        (try? SystemFile.bytes(of: file, limit: sizeLimit)).flatMap { path(of: name, in: $0) }
    }

    /// The path that a list has for a name.
    static func path(of name: String, in bytes: [UInt8]) -> String? {
        guard bytes.count >= 48, bytes.starts(with: magic) else { return nil }
        let count = number(in: bytes, at: 20)
        guard count <= (bytes.count - 48) / 24 else { return nil }
        let wanted = Array(name.utf8) + [0]
        for index in 0..<count {
            let entry = 48 + index * 24
            let key = number(in: bytes, at: entry + 4)
            guard key <= bytes.count, bytes[key...].starts(with: wanted) else { continue }
            let value = number(in: bytes, at: entry + 8)
            guard value < bytes.count else { continue }
            return String(decoding: bytes[value...].prefix { $0 != 0 }, as: UTF8.self)
        }
        return nil
    }

    /// The little-endian 32-bit number at an offset inside the bytes.
    private static func number(in bytes: [UInt8], at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
    }
}
