// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a number, its lowest byte first.
    package mutating func append(littleEndian number: some FixedWidthInteger & UnsignedInteger) {
        for place in 0..<type(of: number).bitWidth / 8 {
            append(UInt8(truncatingIfNeeded: number >> (8 * place)))
        }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number in some bytes, the lowest first.
    init(littleEndian bytes: ArraySlice<UInt8>) {
        self = 0
        for (place, byte) in bytes.enumerated() { self |= Self(byte) << (8 * place) }
    }
}
