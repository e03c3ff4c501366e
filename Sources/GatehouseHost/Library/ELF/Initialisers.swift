// SPDX-License-Identifier: Apache-2.0

/// The entries of a library's arrays of functions, and whether each will hold the address of code.
///
/// The loader calls every entry without a look, so one that is never relocated would be a jump into nothing.
struct Initialisers {
    /// The entries that no sound relocation fills, by address.
    private(set) var missing: Set<UInt64> = []
    /// What tells code from data.
    private let check: LoaderCheck

    /// The greatest number of entries that is looked at.
    private static let limit: UInt64 = 65_536

    /// Collects the entries.
    ///
    /// - Throws: `unmapped`, `truncated` or `excessive` for an array that does not lie in the file.
    init(of check: LoaderCheck, reading reader: borrowing ByteReader) throws(ELFError) {
        self.check = check
        for (tag, size) in [
            (DynamicTag.initArray, DynamicTag.initArraySize), (.finiArray, .finiArraySize),
        ] {
            guard let address = check.table[tag], let bytes = check.table[size], bytes > 0 else { continue }
            guard bytes / 8 <= Self.limit, bytes % 8 == 0 else {
                throw .excessive(.initialisers, limit: Self.limit * 8, found: bytes)
            }
            _ = try check.fileOffset(of: address, count: bytes, part: .initialisers)
            // The packed table leaves the addresses in the file; those are not looked up here.
            guard check.table[.relr] == nil else { continue }
            for index in 0..<bytes / 8 { missing.insert(address + index * 8) }
        }
    }

    /// Takes note of a relocation.
    mutating func take(_ kind: RelocationKind, at target: UInt64, addend: UInt64) {
        guard !missing.isEmpty, missing.contains(target) else { return }
        switch kind {
        case .relative: if check.isCode(addend) { missing.remove(target) }
        // The symbols themselves are checked elsewhere.
        case .symbol, .symbolWithAddend: missing.remove(target)
        case .none, .indirect, .threadLocal: break
        }
    }
}
