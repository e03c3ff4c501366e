// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import SeededTesting
import Testing

@testable import JQPlugin

/// The plugin gives what the program `jq` gives.
@Suite(.timeLimit(.minutes(10))) struct JQProgramComparisonTests {
    static let programs = [
        ".", "[.[]?]", "keys?, length?", "[paths]", "tojson | fromjson", "[.. | numbers | . * 2 + 0.5]",
        "[.. | strings | ascii_downcase, length, explode, @base64, @uri, @html]",
        "to_entries? | map({(.key | tostring): .value})", "map_values(type)?",
        "sort? , unique?, group_by(type)?",
        "[.. | select(type == \"string\") | test(\"^[a-z]+$\")]",
        "if type == \"object\" then .a else error end",
        "reduce (.. | numbers) as $n (0; . + $n)", "[limit(3; .[]?)] | add", ".a.b.c", "tostring",
        "nan, -0, infinite",
        "[.[]?] | min, max", "splits(\"a\")", "@json, @text, @csv?", "del(.[0]?)", "(.a, .b)?", "flatten?",
        "[.. | numbers] | map(floor, sqrt, -.)", "walk(if type == \"array\" then sort else . end)",
    ]

    @Test(arguments: programs)
    func `1000 random inputs have the same outputs`(program: String) throws {
        var random = SeededGenerator(seed: 2_026)
        let inputs = (0..<1_000).map { _ in Self.value(depth: 0, using: &random) }
        let outcome = try ChildProcess.run(
            "/usr/bin/env", arguments: ["jq", "-c", "try [\(program)] catch {error: .}"],
            input: Array(inputs.map { $0.json() }.joined(separator: "\n").utf8))
        let expected = outcome.output.split(separator: "\n")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        try #require(expected.count == inputs.count)
        let rule = try (["when": "*", "emit": "a", "payload": .string(program)] as Value).decode(JQRule.self)
        let rules = try JQRules([rule])
        for (input, line) in zip(inputs, expected) {
            let found: Value
            do throws(JQFailure) {
                let answers = try rules.answers(
                    of: 0, to: JQInput(AnyAction("a", payload: input)), most: 10_000, size: 1 << 26)
                found = .array(answers.map { $0.payload ?? .string("no payload") })
            } catch {
                let suffix = " (not a string)"
                let isText = !error.words.hasSuffix(suffix)
                found = [
                    "error": isText
                        ? .string(error.words)
                        : try JSONText.parse(Array(error.words.dropLast(suffix.count).utf8))
                ]
            }
            let wanted = try JSONText.parse(Array(line.utf8))
            guard found != wanted else { continue }
            Issue.record("\(program) of \(input): expected \(wanted), found \(found)")
            break
        }
    }

    @Test func `no function of jq ends the process, whatever it is given`() throws {
        let outcome = try ChildProcess.run(
            "/usr/bin/env",
            arguments: ["jq", "-rn", #"builtins | map(select(startswith("_") | not)) | sort[]"#])
        // These never end, or take all memory, by what they are for.
        let endless: Set = [
            "repeat", "recurse", "range", "until", "while", "infinite", "gsub", "combinations", "jn", "limit",
        ]
        let programs = outcome.output.split(separator: "\n").compactMap { function -> Value? in
            let parts = function.split(separator: "/")
            let call = ["", "($v)", "($v; $w)", "($v; $w; $v)"]
            guard parts.count == 2, let count = Int(parts[1]), count < call.count,
                !endless.contains(String(parts[0]))
            else { return nil }
            let others = count > 1 ? ".[] as $w|" : ""
            return .string(
                ". as $all|.[] as $v|\(others).[] as $x|$x|try [limit(3; \(parts[0] + call[count]))] catch .|0"
            )
        }
        let rules = programs.compactMap {
            try? (["when": "*", "emit": "a", "payload": $0] as Value).decode(JQRule.self)
        }
        #expect(rules.count > 120)
        let odd: Value = [
            nil, true, -1, 0, 1.5, 1e300, -1e300, "", "a", "=", "====", "2020-01-01T00:00:00Z", "%Z", "(", [],
            [1],
            [-1], [nil], ["a", 1], [:], ["a": 1], [[1]], [1e10], [1e300], [55_296],
            ["name": "x", "value": 1],
        ]
        let compiled = try JQRules(rules)
        for index in rules.indices {
            let answers = try compiled.answers(
                of: index, to: JQInput(AnyAction("a", payload: odd)), most: 1_000_000, size: 1 << 30)
            #expect(!answers.isEmpty)
        }
    }

    /// A random value, of which jq keeps every digit.
    private static func value(depth: Int, using random: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<(depth < 4 ? 10 : 7), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: -1_000...1_000, using: &random))
        case 3:
            return .integer(.random(in: -9_007_199_254_740_991...9_007_199_254_740_991, using: &random) >> 12)
        case 4: return .double(Double.random(in: -1_000_000...1_000_000, using: &random))
        case 5, 6: return .string(text(using: &random))
        case 7, 8:
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1, using: &random)
                })
        default:
            return .object(
                Members(
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        (
                            Bool.random(using: &random)
                                ? ["a", "b", "c"].randomElement(using: &random) ?? "a" : text(using: &random),
                            value(depth: depth + 1, using: &random)
                        )
                    }))
        }
    }

    /// A random text, with characters that are escaped and ones of several bytes.
    private static func text(using random: inout SeededGenerator) -> String {
        let characters: [Character] = [
            "a", "b", "Z", "0", " ", "\"", "\\", "\n", "/", "é", "ß", "漢", "\u{1F680}", "<", "&", "\u{7F}",
        ]
        return String(
            (0..<Int.random(in: 0...8, using: &random)).map { _ in
                characters.randomElement(using: &random) ?? "a"
            }
        )
    }
}
