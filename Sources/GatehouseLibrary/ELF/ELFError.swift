// SPDX-License-Identifier: Apache-2.0

/// The reason why bytes could not be read as a 64-bit little-endian ELF file.
///
/// Offsets, addresses and sizes are in bytes. Bytes from an untrusted file appear only as numbers.
package enum ELFError: Error, Equatable, Sendable {
    /// The file does not start with the ELF magic number; `found` holds its first bytes, at most four.
    case notELF(found: [UInt8])
    /// The file is for a 32-bit machine.
    case is32Bit
    /// The file is for a big-endian machine.
    case isBigEndian
    /// An ELF version, class or byte order that no standard defines; `field` names it.
    case unknownIdentification(field: String, offset: UInt64, expected: UInt8, found: UInt8)
    /// A part needs `expected` bytes at `offset`, and `found` remain there.
    case truncated(ELFPart, offset: UInt64, expected: UInt64, found: UInt64)
    /// The entries of a table do not have the size that 64-bit ELF gives them.
    case entrySize(ELFPart, expected: UInt64, found: UInt64)
    /// No mapped segment of the file contains the address.
    case unmapped(ELFPart, address: UInt64)
    /// A string without a terminating NUL inside its table, or longer than the limit.
    case unterminated(ELFPart, offset: UInt64, limit: UInt64)
    /// The dynamic section refers to a part that it does not locate; `tag` is the missing entry.
    case missing(ELFPart, tag: String)
    /// Two parts of the file contradict each other, or one itself; both texts contain no bytes of the file except
    /// numbers.
    case mismatch(ELFPart, expected: String, found: String)
    /// More of something than any real library has, refused before it costs memory.
    case excessive(ELFPart, limit: UInt64, found: UInt64)
}

extension ELFError: CustomStringConvertible {
    /// One sentence: what was expected, what was found, and what to do.
    package var description: String {
        switch self {
        case .notELF(let found):
            "expected an ELF file starting with 7f 45 4c 46, found \(Self.hex(found)); "
                + "name a shared library built for Linux"
        case .is32Bit:
            "expected a 64-bit ELF file, found a 32-bit one; build the plugin for a 64-bit target"
        case .isBigEndian:
            "expected a little-endian ELF file, found a big-endian one; "
                + "build the plugin for the host's architecture"
        case .unknownIdentification(let field, let offset, let expected, let found):
            "expected \(field) \(expected) at offset \(offset), found \(found); "
                + "the file is damaged, build or copy it again"
        case .truncated(let part, let offset, let expected, let found):
            "\(part) needs \(Self.bytes(expected)) at offset \(offset), "
                + "found \(found == 0 ? "none" : String(found)); the file is cut off or damaged, "
                + "build or copy it again"
        case .entrySize(let part, let expected, let found):
            "\(part): expected entries of \(expected) bytes, found entries of \(found); "
                + "the file is damaged, build or copy it again"
        case .unmapped(let part, let address):
            "\(part): expected an address inside a loaded segment, found 0x\(String(address, radix: 16)); "
                + "the file is damaged, build or copy it again"
        case .unterminated(let part, let offset, let limit):
            "\(part) at offset \(offset): expected a terminating zero within \(limit) bytes and inside its "
                + "table, found none; the file is damaged, build or copy it again"
        case .missing(let part, let tag):
            "\(part): expected an entry \(tag) in the dynamic section, found none; "
                + "the file is damaged, build or copy it again"
        case .mismatch(let part, let expected, let found):
            "\(part): expected \(expected), found \(found); the file is damaged, build or copy it again"
        case .excessive(let part, let limit, let found):
            "\(part): expected at most \(limit), found \(found); "
                + "the file is damaged or hostile, do not load it"
        }
    }

    /// Bytes as pairs of hexadecimal digits; `an empty file` for none.
    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.isEmpty
            ? "an empty file"
            : bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    /// A number of bytes with its unit in singular or plural.
    private static func bytes(_ count: UInt64) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}
