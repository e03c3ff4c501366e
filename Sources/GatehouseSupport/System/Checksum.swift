// SPDX-License-Identifier: Apache-2.0

private import CZlib

/// The CRC-32 of zlib, which finds damage and no forgery.
package enum Checksum {
    /// The checksum of some bytes; linear in their number.
    ///
    /// - Parameter before: the checksum of the bytes before them.
    package static func of(_ bytes: some Collection<UInt8>, after before: UInt32 = 0) -> UInt32 {
        let known = bytes.withContiguousStorageIfAvailable { bytes in
            unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(before), bytes.baseAddress, bytes.count))
        }
        return known ?? of(Array(bytes), after: before)
    }
}
