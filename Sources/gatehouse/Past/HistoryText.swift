// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHistory
internal import GatehouseJournal
internal import GatehouseSDK
internal import GatehouseSupport

/// Formats actions of the past for people.
enum HistoryText {
    /// Number, moment, type and cause, aligned with other lines.
    static func line(_ entry: JournalRecord, withPayload: Bool) -> String {
        let number = String(entry.sequence)
        let padding = String(repeating: " ", count: max(0, 7 - number.count))
        let type = Quotation.bare(entry.type).padded(to: 28)
        return padding + number + "  " + UnixTime.text(entry.batchTime) + "  " + type + "  " + entry.origin
            + (withPayload ? payload(of: entry) : "")
    }

    /// Number, type and cause, for a line that is part of a tree.
    static func short(_ entry: JournalRecord, withPayload: Bool) -> String {
        "\(entry.sequence)  \(Quotation.bare(entry.type))  \(entry.origin)"
            + (withPayload ? payload(of: entry) : "")
    }

    /// The payload after blanks; empty where there is none.
    private static func payload(of entry: JournalRecord) -> String {
        if let encodingFailure = entry.encodingFailure {
            return "  (was not recorded: \(Quotation.bare(encodingFailure)))"
        }
        return (try? JSONText.parse(entry.bytes))?["payload"].map { "  " + $0.json() } ?? ""
    }
}
