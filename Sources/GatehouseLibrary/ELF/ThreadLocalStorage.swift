// SPDX-License-Identifier: Apache-2.0

/// The storage that each thread gets a copy of.
///
/// The loader makes the copy when a thread first uses it, perhaps only for an action: no rehearsal sees that.
enum ThreadLocalStorage {
    /// The maximum size that is accepted, in bytes; real libraries have a few kilobytes.
    private static let limit: UInt64 = 16 << 20
    /// The maximum alignment that is accepted, in bytes.
    private static let alignmentLimit: UInt64 = 1 << 20

    /// Checks that the loader can make the copy, which is of the last segment.
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
