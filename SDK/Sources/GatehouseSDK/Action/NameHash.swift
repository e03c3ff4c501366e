// SPDX-License-Identifier: Apache-2.0

/// A hash of names, 8 bytes at a time, with random numbers drawn once for each process.
///
/// A sender of names cannot predict which of them collide.
struct NameHash: Sendable {
    /// The start value of each hash.
    private let seed: UInt64
    /// The factor that multiplies each 8 bytes; odd.
    private let factor: UInt64

    /// Creates a hash function that differs from all others.
    init() {
        (seed, factor) = (.random(in: .min ... .max), .random(in: .min ... .max) | 1)
    }

    /// Returns the hash of some bytes.
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
            // The last 8 bytes overlap the previous ones, which spares a loop over single bytes.
            hash = unsafe fold(hash ^ bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        } else {
            var word: UInt64 = 0
            for place in 0..<count { word = unsafe word << 8 | UInt64(bytes[place]) }
            hash = fold(hash ^ word)
        }
        return fold(hash)
    }

    /// Returns the xor of the two halves of the product.
    @inline(__always)
    private func fold(_ word: UInt64) -> UInt64 {
        let product = word.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }
}
