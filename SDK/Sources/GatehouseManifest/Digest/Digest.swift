// SPDX-License-Identifier: Apache-2.0

/// The 32 bytes of a SHA-256 digest.
public struct Digest: Hashable, Sendable {
    /// The final chaining value; its words are big-endian in the digest's bytes.
    private let state: SIMD8<UInt32>

    /// Wraps a final chaining value.
    init(state: SIMD8<UInt32>) { self.state = state }

    /// The 32 bytes in order.
    public var bytes: [UInt8] {
        state.indices.flatMap { index in
            stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: state[index] >> $0) }
        }
    }

    /// The bytes as 64 lower-case hexadecimal digits.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension Digest: CustomStringConvertible {
    /// The digest as 64 hexadecimal digits.
    public var description: String { hex }
}
