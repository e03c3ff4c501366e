// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal

/// Recorded actions that contain a text.
@Suite(.timeLimit(.minutes(10))) struct RecordedTextTests {
    /// Whether a text occurs in an action that was recorded so.
    private func occurs(_ text: String, in line: String) -> Bool {
        RecordedText(text).occurs(
            in: JournalRecord(
                sequence: 1, epoch: 1, generation: 1, batchTime: 0, cause: .unknown, file: "in", line: 1,
                instance: nil, time: nil, bytes: Array(line.utf8), encodingFailure: nil))
    }

    @Test(arguments: [
        ("a", true), ("A", true), (#"{"type""#, true), (#""Zoë"}}"#, true), (#""zoë"}}"#, true),
        // Only A to Z have two cases: `[` and `{` are no letters.
        ("ZOË", false), ("x[y", true), ("x{y", false), ("b", false), (#""Zoë"}} "#, false),
        (String(repeating: "a", count: 200), false), (#"{"type":"a","payload":{"x[y":"Zoë"}}"#, true),
        (#"{"type":"a","payload":{"x[y":"Zoë"}}}"#, false),
    ])
    func `a text is found anywhere, whatever the case of A to Z`(text: String, isThere: Bool) {
        #expect(occurs(text, in: #"{"type":"a","payload":{"x[y":"Zoë"}}"#) == isThere)
    }

    @Test func `spaces and escapes of a line as it came stand between nothing that belongs together`() {
        #expect(occurs(#""type":"a""#, in: #"{ "type" : "a" }"#))
        #expect(occurs("zoë", in: #"{"type":"Zo\u00eb"}"#))
        #expect(occurs(#""type" :"#, in: #"{ "type" : "a" }"#))
        #expect(!occurs(#""type":"b""#, in: #"{ "type" : "a" }"#))
    }
}
