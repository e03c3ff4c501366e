// SPDX-License-Identifier: Apache-2.0

import GatehouseHost
import GatehouseValue
import SeededTesting
import Testing

/// The two paths of the parser must never differ in what they accept, nor in what they understand.
@Suite struct ActionParserAgreementTests {
    /// Lines from which the property starts; together they have every kind of token.
    private static let lines = [
        #"{"type":"orders/placed","payload":{"id":17,"items":[{"sku":"A-1","n":2},{"sku":"B","n":1}]}}"#,
        #"{"payload":[1,-2,0,3.5e2,-0.0,-0,1e-7,9223372036854775807,9223372036854775808],"type":"numbers"}"#,
        #"{"type":"text","payload":"\"\\\/\b\f\n\r\tä€😀\u00e4\ud83d\ude00","meta":{"":""},"error":true}"#,
        #" { "type" : "spaces" , "error" : false , "payload" : [ true , false , null , { } , [ ] ] } "#,
        #"{"type":"big","payload":[18446744073709551615,18446744073709551616,1e308,1e309,1e-400]}"#,
        #"{"meta":{"a":{"b":{"c":[[[["deep"]]]]}}},"type":"m"}"#,
        #"{"type":"x","payload":{"a":1,"a":2,"type":3,"error":4}}"#,
    ]

    /// Bytes that are likely to change the meaning of a line.
    private static let spice =
        Array("{}[]\":,\\/ \t\r\nutfne0123456789.-+Eabd".utf8) + [
            0x00, 0x0C, 0x1A, 0x1F, 0x7F, 0x80, 0xA0, 0xBF, 0xC0, 0xC3, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xFF,
        ]

    /// Pieces that are likely to survive as valid lines.
    private static let pieces = [
        "1e999", "-1", "null", "true", "\"\"", "{}", "[]", "\"error\":true", "\"meta\":{}", "\"type\":\"z\"",
        "\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude00", ",", ":", "ü", "\u{FEFF}", "\u{2028}",
    ].map { Array($0.utf8) }

    /// One or two random edits.
    private func mutate(_ line: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var line = line
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let place = Int.random(in: 0...line.count, using: &random)
            let rest = min(line.count - place, Int.random(in: 1...4, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where place < line.count: line[place] = Self.spice.randomElement(using: &random) ?? 0
            case 1: line.insert(Self.spice.randomElement(using: &random) ?? 0, at: place)
            case 2: line.removeSubrange(place..<place + rest)
            case 3: line.insert(contentsOf: line[place..<place + rest], at: place)
            case 4: line.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
            default:
                line =
                    Array(line[..<place]) + (Self.lines.randomElement(using: &random) ?? "").utf8.suffix(rest)
            }
        }
        return line
    }

    /// What the rules say about a line, worked out from the scanner's plain value and members alone.
    private func expected(_ line: [UInt8]) -> ActionRecord? {
        if line.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return .blank }
        let root: LocatedValue
        do { root = try JSONText.parseLocated(line) } catch { return nil }
        guard case .object(let members) = root.content, case .object(let values) = root.value,
            values.count == members.count,
            Set(values.map(\.key)).isSubset(of: ["type", "payload", "error", "meta"]),
            case .string(let type)? = values["type"], !type.isEmpty
        else { return nil }
        var error = false
        if let mark = values["error"] {
            guard case .bool(let value) = mark else { return nil }
            error = value
        }
        if let meta = values["meta"] {
            guard case .object = meta else { return nil }
        }
        return .action(type: type, payload: values["payload"], error: error, meta: values["meta"])
    }

    @Test(arguments: [1, 2, 3, 0xDECAF] as [UInt64])
    func `parser and scanner agree on mutated lines`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var parser = ActionParser()
        var accepted = 0
        for round in 0..<5_000 {
            let line = mutate(Array(Self.lines[round % Self.lines.count].utf8), using: &random)
            let found = parser.record(line)
            let wanted = expected(line)
            let shown = String(decoding: line, as: UTF8.self)
            switch found {
            case .rejected: #expect(wanted == nil, "seed \(seed), round \(round): \(shown)")
            case .action, .blank: #expect(found == wanted, "seed \(seed), round \(round): \(shown)")
            }
            if found.isAction { accepted += 1 }
        }
        // Both outcomes must be frequent, or the property says little.
        #expect((500..<4_500).contains(accepted), "seed \(seed): \(accepted) lines of 5000 were accepted")
    }

    @Test func `the unchanged lines are accepted as the scanner reads them`() {
        var parser = ActionParser()
        for line in Self.lines {
            let found = parser.record(line)
            #expect(found.isAction)
            #expect(found == expected(Array(line.utf8)))
        }
    }
}
