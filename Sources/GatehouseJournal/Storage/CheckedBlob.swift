// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// A value as JSON with a checksum after it, as snapshots and dead letters are kept.
///
/// The checksum can cover columns of the row too; one that covers nothing else is right whatever the row says, because journals of
/// form 1 have such.
enum CheckedBlob {
    /// What is wrong with a blob.
    struct Mistake: Error, Equatable, CustomStringConvertible {
        /// As a part of a sentence.
        let description: String
    }

    /// The bytes of a value.
    static func bytes(of value: Value) -> [UInt8] {
        var bytes = Array(value.json().utf8)
        let checksum = Checksum.of(bytes)
        for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (8 * place))) }
        return bytes
    }

    /// Lets the checksum of a value's bytes cover columns too.
    static func seal(_ bytes: [UInt8], with columns: [UInt8]) -> [UInt8] {
        var sealed = Array(bytes.dropLast(4))
        sealed.append(
            littleEndian: Checksum.of(columns, after: Checksum.of(sealed)))
        return sealed
    }

    /// The value in some bytes. No bytes make it trap.
    ///
    /// - Parameter columns: the columns that the checksum may cover.
    static func value(of bytes: [UInt8], with columns: [UInt8] = []) throws(Mistake) -> Value {
        let end = bytes.count - 4
        guard end >= 0 else { throw Mistake(description: "expected a checksum, found \(bytes.count) bytes") }
        var written: UInt32 = 0
        for place in 0..<4 { written |= UInt32(bytes[end + place]) << (8 * place) }
        let checksum = Checksum.of(bytes[..<end])
        guard checksum == written || Checksum.of(columns, after: checksum) == written else {
            throw Mistake(description: "expected another checksum of its \(end) bytes")
        }
        do {
            return try JSONText.parse(Array(bytes[..<end]))
        } catch {
            throw Mistake(description: "\(error)")
        }
    }
}
