// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

/// A text that recorded actions are searched for.
///
/// It is compared with the compact JSON of an action's wire form, without regard to the case of the letters A to Z.
package struct RecordedText: Equatable, Sendable {
    /// The bytes, in lower case; never none.
    private let wanted: [UInt8]

    /// A text that is not empty.
    package init(_ text: String) { wanted = text.utf8.map(Self.lowered) }

    /// Whether an action contains the text.
    func occurs(in record: JournalRecord) -> Bool {
        if occurs(in: record.bytes) { return true }
        // Lines are recorded as they came: spaces and escapes may stand between what belongs together.
        guard record.bytes.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "\\") }) else { return false }
        var bytes: [UInt8] = []
        record.action.writeJSON(to: &bytes)
        return occurs(in: bytes)
    }

    /// Whether bytes contain the text.
    private func occurs(in bytes: [UInt8]) -> Bool {
        guard let first = wanted.first, bytes.count >= wanted.count else { return wanted.isEmpty }
        for start in 0...bytes.count - wanted.count where Self.lowered(bytes[start]) == first {
            let candidate = bytes[start..<start + wanted.count]
            if zip(candidate, wanted).allSatisfy({ Self.lowered($0) == $1 }) { return true }
        }
        return false
    }

    /// The byte, or that of the small letter for one of A to Z.
    private static func lowered(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
