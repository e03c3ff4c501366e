// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// By what an action is told from others.
@Suite(.timeLimit(.minutes(10))) struct ActionKeyTests {
    private func key(_ value: Value) throws -> String? {
        AnyAction("a", payload: ["k": value]).key(at: try JSONPointer("/k"))
    }

    @Test func `a text is a key as it is, and anything else by its JSON`() throws {
        #expect(try key("ann") == "ann")
        #expect(try key(1) == "1")
        #expect(try key(["b": [true, .null]]) == #"{"b":[true,null]}"#)
        #expect(AnyAction("a").key(at: try JSONPointer("/k")) == nil)
    }

    @Test func `a long key is kept as its beginning and a number for all of it`() throws {
        let long = String(repeating: "é", count: 10_000)
        let keys = try ["1", "2"].map { try #require(try key(.string(long + $0))) }
        #expect(keys[0] != keys[1])
        for key in keys {
            #expect(key.utf8.count <= 200)
            #expect(key.hasPrefix(String(repeating: "é", count: 80) + "…"))
        }
    }
}
