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

    @Test func `a key of two hundred bytes is kept whole, and one more byte is too many`() throws {
        let full = String(repeating: "x", count: 200)
        #expect(try key(.string(full)) == full)
        // The hash (FNV-1a) of two hundred and one of them.
        let cut = String(repeating: "x", count: 160)
        #expect(try key(.string(full + "x")) == cut + "…" + Self.hash(full + "x"))
        #expect(try key(.string(full + "y")) == cut + "…" + Self.hash(full + "y"))
        #expect(Self.hash("foobar") == "85944171f73967e8")
    }

    @Test func `a long key ends before a character that does not fit`() throws {
        let text = String(repeating: "x", count: 159) + String(repeating: "é", count: 100)
        let key = try #require(try key(.string(text)))
        #expect(key == String(repeating: "x", count: 159) + "…" + Self.hash(text))
    }

    /// The hash FNV-1a in sixteen digits.
    private static func hash(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash ^= UInt64(byte)
            hash &*= 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
