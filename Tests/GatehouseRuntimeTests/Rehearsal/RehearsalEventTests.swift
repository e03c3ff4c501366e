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
            .settings(
                CodingFailure(pointer: JSONPointer(tokens: ["a b", "/"]), expected: "x", found: "y z")),
            image: 2, instance: 0), .done(image: 7), .end,
    ]

    @Test(arguments: events)
    func `an event is read as it was written, in one line`(event: RehearsalEvent) {
        #expect(!event.line.contains("\n"))
        #expect(RehearsalEvent(line: event.line) == event)
    }

    @Test(arguments: [
        "", "step", "step 0 -", "step x - load", "step 0 - dance", "objection 0 - {", "objection 0 - {}",
        "done",
        "done 1 2", "end 1", "from a plugin",
    ])
    func `what a plugin writes there by chance is no event`(line: String) {
        #expect(RehearsalEvent(line: line) == nil)
    }
}
