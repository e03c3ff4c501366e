// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// The two paths of the parser must never differ in what they accept, nor in what they understand.
@Suite(.timeLimit(.minutes(10))) struct ActionParserAgreementTests {
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

    @Test(arguments: [4, 5] as [UInt64])
    func `a line made long by white space is understood as the short one`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var parser = ActionParser()
        let space = [UInt8](repeating: 0x20, count: ActionText.longestReadWhole)
        for round in 0..<300 {
            let line = mutate(Array(Self.lines[round % Self.lines.count].utf8), using: &random)
            let (short, long) = (parser.record(line), parser.record(line + space))
            // Where the text ends too soon, it does so after the white space.
            if case .rejected(let reason) = short,
                reason.contains("the end of the text") || reason.contains("closing")
            {
                continue
            }
            #expect(short == long, "seed \(seed), round \(round): \(String(decoding: line, as: UTF8.self))")
        }
    }

    @Test(arguments: [
        LineWrap.type("a/b"), .typeAt(JSONPointer(tokens: ["type"])),
        .typeAt(JSONPointer(tokens: ["payload", "items", "1", "sku"])), .typeAt(.whole),
    ])
    func `a wrapped line is understood alike on all three paths`(wrap: LineWrap) {
        var random = SeededGenerator(seed: 6)
        var parser = ActionParser(wrap: wrap)
        let space = [UInt8](repeating: 0x20, count: ActionText.longestReadWhole)
        let lines =
            Self.lines + ["1", "-0.5", "1e999", "\"a/b\"", "\"\"", "null", "true", "[]", "[1,[2]]", "{}"]
        for round in 0..<300 {
            var line = Array(lines[round % lines.count].utf8)
            if round >= lines.count { line = mutate(line, using: &random) }
            let found = parser.record(line)
            let shown = "round \(round): \(String(decoding: line, as: UTF8.self))"
            let wanted = wrapped(line, wrap)
            if case .rejected = found {
                #expect(wanted == nil, "\(shown)")
                continue
            }
            #expect(found == wanted, "\(shown)")
            #expect(parser.record(line + space) == found, "\(shown)")
        }
    }

    /// What a wrapped line means, worked out from the scanner's plain value alone; its own words for a refusal.
    private func wrapped(_ line: [UInt8], _ wrap: LineWrap) -> ActionRecord? {
        if line.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return .blank }
        guard let value = try? JSONText.parse(line) else { return nil }
        switch wrap {
        case .type(let type): return .plain(type, value)
        case .typeAt(let pointer):
            guard case .string(let type)? = value[pointer], !type.isEmpty else { return nil }
            return .plain(type, value)
        }
    }
}
