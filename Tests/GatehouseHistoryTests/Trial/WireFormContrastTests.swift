// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting
import Testing

@testable import GatehouseHistory

/// What two texts of JSON say about being different values before anybody parses them.
@Suite struct WireFormContrastTests {
    /// Whether two texts are seen to be different values.
    private func isSure(_ one: String, _ other: String) -> Bool {
        WireFormContrast(one: Array(one.utf8)[...], other: Array(other.utf8)[...]).isSure
    }

    @Test(
        arguments: [
            (#"{"payload":12}"#, #"{"payload":13}"#), (#"{"payload":12}"#, #"{"payload":127}"#),
            (#"{"payload":-12}"#, #"{"payload":12}"#), (#"[1,{"a":7}]"#, #"[1,{"a":8}]"#),
            (#"{"payload":"ab"}"#, #"{"payload":"ac"}"#), (#"{"payload":"ab"}"#, #"{"payload":"abc"}"#),
            (#"{"payload":"é"}"#, #"{"payload":"è"}"#), (#"{"a":"1,","b":2}"#, #"{"a":"1;","b":2}"#),
            (#"{"a\\":"x","b":2}"#, #"{"a\\":"x","b":3}"#),
        ])
    func `other texts and whole numbers at the same place are different values`(
        _ one: String, _ other: String
    ) {
        #expect(isSure(one, other))
        #expect(isSure(other, one))
    }

    @Test(
        arguments: [
            // The same value.
            (#"{"payload":1}"#, #"{"payload":1.0}"#), (#"{"payload":10}"#, #"{"payload":1e1}"#),
            (#"{"payload":0}"#, #"{"payload":-0}"#), (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#),
            (#"{"payload":"é"}"#, #"{"payload":"\u00e9"}"#),
            (#"{"payload":"\u00e9"}"#, #"{"payload":"\u00E9"}"#), (#"{"a":[ 1]}"#, #"{"a":[1]}"#),
            // Different ones, of which only parsing is sure.
            (#"{"payload":null}"#, #"{"payload":1}"#), (#"{"a":1}"#, #"{"a":1,"b":2}"#),
            (#"{"payload":12345678901234567890}"#, #"{"payload":12345678901234567891}"#),
            ("1", "2"), ("", "{}"), ("{}", "{}"),
        ])
    func `what may be the same value is left to the parser`(_ one: String, _ other: String) {
        #expect(!isSure(one, other))
        #expect(!isSure(other, one))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `nothing that is seen to differ is the same value`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\\"", "\\u0061", "a", "é", "1", "0", "-", ".", "e1",
            " ",
            "null", #""a":"#, #""b":"#,
        ]
        var compared = 0
        for _ in 0..<50_000 {
            let texts = (0..<2).map { _ in
                #"{"p":[1,"#
                    + (0..<random.next(upperBound: 6 as UInt)).map { _ in parts.randomElement(using: &random)!
                    }.joined()
                    + "]}"
            }
            guard let one = try? JSONText.parse(Array(texts[0].utf8)),
                let other = try? JSONText.parse(Array(texts[1].utf8))
            else { continue }
            compared += 1
            if isSure(texts[0], texts[1]) { #expect(one != other, "seed \(seed): \(texts)") }
        }
        #expect(compared > 20)
    }
}
