// SPDX-License-Identifier: Apache-2.0

/// The writer of an action and its sequence number there, by which receivers take each action only once.
///
/// A writer is a partition (`7`) under an epoch, or the ingress of a process (`host-a.k3f9`) with epoch 0. Its numbers rise.
package struct ClusterOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The writer.
    package var source: String
    /// The writer's epoch; 0 for a writer without one.
    package var epoch: Int
    /// Rises from action to action of the writer and its epoch.
    package var sequence: UInt64

    /// Creates an origin from its parts.
    package init(source: String, epoch: Int = 0, sequence: UInt64) {
        self.source = source
        self.epoch = epoch
        self.sequence = sequence
    }

    /// Reads `SOURCE:EPOCH:SEQUENCE`, whose source may hold colons; nil if it is not that.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let origin = text.withUTF8 { unsafe ClusterOrigin(bytes: UnsafeRawBufferPointer($0)) }
        guard let origin else { return nil }
        self = origin
    }

    /// Reads the same from bytes, without splitting, since every action that is read has some.
    package init?(bytes: UnsafeRawBufferPointer) {
        var end = bytes.count
        guard let sequence = unsafe Self.number(before: &end, of: bytes) else { return nil }
        unsafe self.init(writer: UnsafeRawBufferPointer(rebasing: bytes[..<end]))
        self.sequence = sequence
    }

    /// Reads the bytes of `SOURCE:EPOCH`, with the sequence zero; nil if it is not that.
    package init?(writer bytes: UnsafeRawBufferPointer) {
        var end = bytes.count
        guard let number = unsafe Self.number(before: &end, of: bytes), let epoch = Int(exactly: number),
            end > 0
        else { return nil }
        self.init(
            source: unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[..<end]), as: UTF8.self),
            epoch: epoch, sequence: 0)
    }

    /// Reads the number that ends at a place after a colon, and moves the place to the colon; nil if there is none.
    private static func number(before end: inout Int, of bytes: UnsafeRawBufferPointer) -> UInt64? {
        var start = end
        while unsafe start > 0 && bytes[start - 1] != UInt8(ascii: ":") { start -= 1 }
        guard start > 0, start < end, end - start <= 20 else { return nil }
        var number: UInt64 = 0
        for place in start..<end {
            let digit = unsafe bytes[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeThen) = product.addingReportingOverflow(UInt64(digit))
            guard !isTooLarge, !isTooLargeThen else { return nil }
            number = sum
        }
        end = start - 1
        return number
    }

    /// The written form, such as `host-a.k3f9:0:17`.
    package var description: String { "\(source):\(epoch):\(sequence)" }
}
