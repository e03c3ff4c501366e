// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// A value as JSON with a checksum behind it, as snapshots and dead letters are kept.
enum CheckedBlob {
    /// What is wrong with a blob.
    struct Mistake: Error, Equatable, CustomStringConvertible {
        /// As a part of a sentence.
        let description: String
    }

    /// The bytes of a value.
    static func bytes(of value: Value) -> [UInt8] {
        var bytes = Array(value.json().utf8)
        let checksum = BatchEncoder.checksum(of: bytes)
        for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (8 * place))) }
        return bytes
    }

    /// The value in some bytes. No bytes make it trap.
    static func value(of bytes: [UInt8]) throws(Mistake) -> Value {
        let end = bytes.count - 4
        guard end >= 0 else { throw Mistake(description: "expected a checksum, found \(bytes.count) bytes") }
        var written: UInt32 = 0
        for place in 0..<4 { written |= UInt32(bytes[end + place]) << (8 * place) }
        guard BatchEncoder.checksum(of: bytes[..<end]) == written else {
            throw Mistake(description: "expected another checksum of its \(end) bytes")
        }
        do {
            return try JSONText.parse(Array(bytes[..<end]))
        } catch {
            throw Mistake(description: "\(error)")
        }
    }
}
