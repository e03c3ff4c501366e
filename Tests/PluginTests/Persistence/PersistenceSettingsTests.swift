// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import PersistencePlugin

@Suite(.timeLimit(.minutes(10))) struct PersistenceSettingsTests {
    @Test(
        arguments: [
            [:], ["file": "x.db"], ["busyTimeout": 0], ["busyTimeout": 60000], ["durability": "process"],
        ] as [Value])
    func `settings within their ranges are taken`(settings: Value) throws {
        _ = try DocumentScene(settings: settings)
    }

    @Test(
        arguments: [
            (["file": ""], #"/file: expected a name for a file, without slashes, found """#),
            (["file": "../x"], #"/file: expected a name for a file, without slashes, found "../x""#),
            (
                ["file": "a/\u{301}b"],
                "/file: expected a name for a file, without slashes, found \"a/\u{301}b\""
            ),
            (["file": ".."], #"/file: expected a name for a file, without slashes, found "..""#),
            (["file": "a\0b"], #"/file: expected a name for a file, without slashes, found "a\u0000b""#),
            (["busyTimeout": -1], "/busyTimeout: expected 0 to 60000, found -1"),
            (["busyTimeout": 60001], "/busyTimeout: expected 0 to 60000, found 60001"),
        ] as [(Value, String)])
    func `settings out of their ranges are refused with their place`(settings: Value, message: String) throws
    {
        let failure = #expect(throws: CodingFailure.self) { try DocumentScene(settings: settings) }
        #expect(failure?.description == message)
    }

    @Test func `durability is one of two`() throws {
        #expect(throws: CodingFailure.self) { try DocumentScene(settings: ["durability": "eventually"]) }
        #expect(Durability.power.synchronous == "FULL")
        #expect(Durability.process.synchronous == "NORMAL")
    }
}
