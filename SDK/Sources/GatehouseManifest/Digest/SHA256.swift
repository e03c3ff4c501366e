// SPDX-License-Identifier: Apache-2.0

private import CSHA256

/// The SHA-256 digest of FIPS 180-4, incremental.
///
/// A value is the state after the bytes seen so far; copying it forks the computation.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(header)
/// hash.update(body)
/// let digest = hash.finish()
/// ```
public struct SHA256: Sendable {
    /// The chaining value after all complete blocks.
    private var state = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )
    /// The bytes of the incomplete block, at most 63.
    private var pending: [UInt8] = []
    /// The number of bytes so far; the digest is defined for fewer than 2^61.
    private var count: UInt64 = 0

    /// The size of a block in bytes.
    private static let blockSize = 64

    /// Starts with no bytes.
    public init() { pending.reserveCapacity(Self.blockSize) }

    /// Adds bytes. Costs time linear in their number and no allocation.
    ///
    /// Safety: the memory must be readable during the call; nothing of it is kept.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var rest = unsafe bytes[...]
        if !pending.isEmpty {
            let missing = unsafe rest.prefix(Self.blockSize - pending.count)
            unsafe pending.append(contentsOf: missing)
            unsafe rest = rest.dropFirst(missing.count)
            guard pending.count == Self.blockSize else { return }
            var state = state
            unsafe pending.span.bytes.withUnsafeBytes { unsafe Self.compress($0, into: &state) }
            self.state = state
            pending.removeAll(keepingCapacity: true)
        }
        let whole = unsafe rest.count / Self.blockSize * Self.blockSize
        if whole > 0 {
            unsafe Self.compress(UnsafeRawBufferPointer(rebasing: rest.prefix(whole)), into: &state)
        }
        unsafe pending.append(contentsOf: rest.dropFirst(whole))
    }

    /// Adds bytes.
    public mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.span.bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Returns the digest of all bytes so far. More bytes may follow; this value is unchanged.
    public func finish() -> Digest {
        let bitCount = count &* 8
        var tail = pending
        tail.append(0x80)
        while tail.count % Self.blockSize != Self.blockSize - 8 { tail.append(0) }
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            tail.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        var state = state
        unsafe tail.span.bytes.withUnsafeBytes { unsafe Self.compress($0, into: &state) }
        return Digest(state: state)
    }

    /// Returns the digest of bytes in memory.
    ///
    /// Safety: the memory must be readable during the call.
    public static func digest(_ bytes: UnsafeRawBufferPointer) -> Digest {
        var hash = SHA256()
        unsafe hash.update(bytes)
        return hash.finish()
    }

    /// Returns the digest of an array.
    public static func digest(_ bytes: [UInt8]) -> Digest {
        unsafe bytes.span.bytes.withUnsafeBytes { unsafe digest($0) }
    }

    /// Folds complete blocks into the chaining value, with the processor's own instructions where available.
    ///
    /// Safety: the memory must be readable during the call; a remainder of less than 64 bytes is ignored.
    ///
    /// - Parameter portably: whether to do without those instructions.
    static func compress(
        _ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>, portably: Bool = false
    ) {
        guard let start = blocks.baseAddress else { return }
        unsafe withUnsafeMutableBytes(of: &state) { words in
            guard let words = unsafe words.bindMemory(to: UInt32.self).baseAddress else { return }
            unsafe gatehouse_sha256_compress(words, start, blocks.count / 64, portably)
        }
    }
}
