// SPDX-License-Identifier: Apache-2.0

/// What each thread gets a copy of.
///
/// The loader makes the copy when a thread first asks for it, which may be when an action comes: no rehearsal sees that.
enum ThreadLocalStorage {
    /// The greatest size that is taken, in bytes; real libraries have a few kilobytes.
    private static let limit: UInt64 = 16 << 20
    /// The greatest alignment that is taken, in bytes.
    private static let alignmentLimit: UInt64 = 1 << 20

    /// Makes sure that the copy can be made: of the last segment, which is the one that the loader takes.
    ///
    /// - Throws: `excessive`, `mismatch` or `unmapped`.
    static func check(_ segments: [ProgramHeader]) throws(ELFError) {
        guard let storage = segments.last(where: { $0.kind == .threadLocal }) else { return }
        guard storage.memorySize <= limit else {
            throw .excessive(.threadLocal, limit: limit, found: storage.memorySize)
        }
        guard storage.fileSize <= storage.memorySize else {
            throw .mismatch(
                .threadLocal, expected: "at most \(storage.memorySize) bytes of the file",
                found: "\(storage.fileSize)")
        }
        guard storage.alignment <= alignmentLimit else {
            throw .excessive(.threadLocal, limit: alignmentLimit, found: storage.alignment)
        }
        guard storage.alignment & (storage.alignment &- 1) == 0 else {
            throw .mismatch(
                .threadLocal, expected: "an alignment that is a power of two", found: "\(storage.alignment)")
        }
        guard storage.fileSize > 0 else { return }
        let offset = try segments.fileRange(from: storage.address, of: .threadLocal)
        guard offset.upperBound - offset.lowerBound >= storage.fileSize else {
            throw .unmapped(.threadLocal, address: storage.address &+ storage.fileSize)
        }
    }
}
