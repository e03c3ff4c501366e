// SPDX-License-Identifier: Apache-2.0

/// A hash of names, 8 bytes at a time, with random numbers that are drawn once for each process.
///
/// Whoever sends names cannot know which of them meet in one place of a table.
struct NameHash: Sendable {
    /// What each hash starts from.
    private let seed: UInt64
    /// What each 8 bytes are multiplied by; odd.
    private let factor: UInt64

    /// A hash that differs from all others.
    init() {
        seed = .random(in: .min ... .max)
        factor = .random(in: .min ... .max) | 1
    }

    /// The hash of some bytes.
    @inline(__always)
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let count = bytes.count
        var hash = seed ^ UInt64(truncatingIfNeeded: count)
        if count >= 8 {
            var place = 0
            while place + 8 < count {
                hash = unsafe fold(hash ^ bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                place += 8
            }
            // The last 8 bytes overlap with those before, which spares a loop over single bytes.
            hash = unsafe fold(hash ^ bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        } else {
            var word: UInt64 = 0
            for place in 0..<count { word = unsafe word << 8 | UInt64(bytes[place]) }
            hash = fold(hash ^ word)
        }
        return fold(hash)
    }

    /// The two halves of the product, one over the other.
    @inline(__always)
    private func fold(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}
