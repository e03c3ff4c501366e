// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehouseRuntime

/// What a child tells, line by line.
@Suite(.timeLimit(.minutes(10))) struct RehearsalEventTests {
    private static let events: [RehearsalEvent] = [
        .step(.load, image: 0, instance: nil), .step(.parts, image: 12, instance: 3),
        .objection(.reasons(["one\nline", "two"]), image: 1, instance: nil),
        .objection(
            .settings(pointer: JSONPointer(tokens: ["a b", "/"]), expected: "x", found: "y z"),
            image: 2, instance: 0), .done(image: 7), .end,
    ]

    @Test(arguments: events)
    func `an event is read as it was written, in one line`(event: RehearsalEvent) {
        #expect(!event.line.contains("\n"))
        #expect(RehearsalEvent(line: event.line) == event)
    }

    @Test(arguments: [
        "", "step", "{", "{}", #"{"step":{}}"#, #"{"step":{"_0":"load"}}"#,
        #"{"step":{"_0":"dance","image":0}}"#,
        #"{"objection":{"_0":{},"image":0}}"#, #"{"done":{}}"#, #"{"done":{"image":"1"}}"#, "end 1",
        "from a plugin",
    ])
    func `what a plugin writes there by chance is no event`(line: String) {
        #expect(RehearsalEvent(line: line) == nil)
    }
}
