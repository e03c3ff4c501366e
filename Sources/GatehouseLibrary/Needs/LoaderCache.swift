// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// The dynamic loader's list of libraries, which `ldconfig` writes.
///
/// The file is a header of 48 bytes, entries of 24 (flags, offset of the name, offset of the path, a number, and 8 bytes
/// for the processors it is for), and zero-terminated texts. Any other format is treated as an empty list.
enum LoaderCache {
    /// The path of the loader's cache.
    private static let file = "/etc/ld.so.cache"
    /// The first bytes of the format.
    private static let magic = Array("glibc-ld.so.cache1.1".utf8)
    /// The maximum size that is read, in bytes.
    private static let sizeLimit = 16 << 20

    /// The list as it is now; empty when it cannot be read.
    static var bytes: [UInt8] { (try? SystemFile.bytes(of: file, limit: sizeLimit)) ?? [] }

    /// The paths of which the loader takes one: all that are for certain processors, and the first that is for any.
    static func paths(of name: String, in bytes: [UInt8]) -> [String] {
        guard bytes.count >= 48, bytes.starts(with: magic) else { return [] }
        let count = number(in: bytes, at: 20)
        guard count <= (bytes.count - 48) / 24 else { return [] }
        let wanted = Array(name.utf8) + [0]
        var paths: [String] = []
        var isComplete = false
        for index in 0..<count {
            let entry = 48 + index * 24
            let key = number(in: bytes, at: entry + 4)
            guard key <= bytes.count, bytes[key...].starts(with: wanted) else { continue }
            guard number(in: bytes, at: entry) == flags || flags == nil else { continue }
            let isForSome = number(in: bytes, at: entry + 16) != 0 || number(in: bytes, at: entry + 20) != 0
            let value = number(in: bytes, at: entry + 8)
            guard value < bytes.count, isForSome || !isComplete else { continue }
            isComplete = isComplete || !isForSome
            paths.append(String(decoding: bytes[value...].prefix { $0 != 0 }, as: UTF8.self))
        }
        return paths
    }

    /// The flags of entries for this machine; nil where they are unknown.
    private static var flags: Int? {
        switch ELFMachine.current {
        case .x86_64: 0x303
        case .aarch64: 0xa03
        default: nil
        }
    }

    /// The little-endian 32-bit number at an offset inside the bytes.
    private static func number(in bytes: [UInt8], at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << ($1 * 8) }
    }
}
