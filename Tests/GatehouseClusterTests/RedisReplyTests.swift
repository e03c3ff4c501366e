// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct RedisReplyTests {
    /// An answer with a text.
    private func text(_ text: String) -> RedisReply { .bytes(Array(text.utf8)) }

    @Test func `a number is one, or a text of one, within what engines give`() {
        #expect(RedisReply.integer(-7).number == -7)
        #expect(text("12").number == 12)
        for number in [1 << 52, -(1 << 52)] {
            #expect(RedisReply.integer(number).number == number)
            #expect(RedisReply.integer(number + number.signum()).number == nil)
            #expect(text("\(number + number.signum())").number == nil)
        }
        for other in [text(""), text("x"), text("1.5"), .none, .array([.integer(1)]), .failure("1")] {
            #expect(other.number == nil)
        }
    }

    @Test func `a decimal number is a text of one that is finite and not too large`() {
        #expect(text("12.5").real == 12.5)
        #expect(text("4503599627370496").real == 4_503_599_627_370_496)
        for other in ["4503599627370497", "-1e300", "inf", "nan", "", "x"] {
            #expect(text(other).real == nil, "\(other)")
        }
        #expect(RedisReply.integer(1).real == nil)
    }

    @Test func `parts are what the answer is, and nothing of another kind`() {
        #expect(RedisReply.array([.integer(1), .none]).elements == [.integer(1), .none])
        #expect(RedisReply.integer(1).elements == [])
        #expect(text("a").data == [97])
        #expect(RedisReply.integer(1).data == nil)
        #expect(text("a").text == "a")
        #expect(RedisReply.none.text == nil)
        #expect(text("1-2.3").offset == ClusterOffset(1, 2, place: 3))
        #expect(text("1").offset == nil)
    }

    @Test func `pairs are names and values, of which the last counts and a single name none`() {
        let pairs = RedisReply.array([
            text("a"), .integer(1), text("b"), .none, .integer(3), text("x"), text("a"), .integer(2),
            text("c"),
        ]).pairs
        #expect(pairs == ["a": .integer(2), "b": .none])
        #expect(RedisReply.array([]).pairs == [:])
        #expect(RedisReply.array([text("a")]).pairs == [:])
    }

    @Test func `an error is a failure of its kind`() throws {
        #expect(RedisReply.failure("OOM why").failure == .full("OOM why"))
        for word in ["LOADING", "READONLY", "MASTERDOWN", "BUSY"] {
            #expect(RedisReply.failure("\(word) why").failure == .lost("\(word) why"))
        }
        for reason in ["ERR why", "OOMPH why", "", "BUSYGROUP x"] {
            #expect(RedisReply.failure(reason).failure == .refused(reason))
        }
        #expect(RedisReply.integer(1).failure == .refused("Redis gave an unexpected answer"))
        #expect(throws: ClusterFailure.refused("ERR x")) { try RedisReply.failure("ERR x").checked() }
        #expect(try RedisReply.integer(1).checked() == .integer(1))
        #expect(RedisReply.failure("NOSCRIPT No matching script").lacksScript)
        #expect(!RedisReply.failure("ERR NOSCRIPT").lacksScript)
        #expect(!text("NOSCRIPT").lacksScript)
    }

    @Test func `a server's text is shown on one line, with at most 300 characters`() {
        #expect(RedisReply.shown("a\r\nb\nc") == "a b c")
        let long = String(repeating: "x", count: 300)
        #expect(RedisReply.shown(long) == long)
        #expect(RedisReply.shown(long + "y") == long + "…")
    }
}
