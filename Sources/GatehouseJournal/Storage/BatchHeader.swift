// SPDX-License-Identifier: Apache-2.0

/// What is known of a stored batch before its content is read.
struct BatchHeader: Equatable, Sendable {
    /// Its number, from 1 without gaps.
    var id: Int64
    /// The sequence of its first entry; of the next one to come where it has none.
    var first: UInt64
    /// How many entries it has.
    var count: Int
    /// The greatest number of an input in it and in all before.
    var input: UInt64
    /// The greatest number of an effect in it and in all before.
    var effect: UInt64
    /// The oldest batch with an input that was not done before this one; its own number where there was none.
    var open: Int64
    /// When it was written, in seconds since 1970.
    var time: Double

    /// The columns as the checksum of the content covers them.
    var columns: [UInt8] {
        var bytes: [UInt8] = []
        for number in [
            UInt64(bitPattern: id), first, UInt64(bitPattern: Int64(count)), input, effect,
            UInt64(bitPattern: open),
            time.bitPattern,
        ] { bytes.append(littleEndian: number) }
        return bytes
    }

    /// The sequences of its entries; nil where there are none.
    var sequences: ClosedRange<UInt64>? { count == 0 ? nil : first...first + UInt64(count) - 1 }

    /// The sequence of the first entry after it.
    var next: UInt64 { first + UInt64(count) }
}
