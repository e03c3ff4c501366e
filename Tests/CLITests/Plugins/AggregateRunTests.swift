// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// Whole runs with the plugin `aggregate`.
@Suite(.timeLimit(.minutes(10))) struct AggregateRunTests {
    /// A host with one summary called `s` as it stands in a configuration, and further members of that.
    private func scene(_ summary: String, _ members: String = "") throws -> Scene {
        try Scene(
            #"{ \#(members)"plugins": [{ "id": "aggregate", "settings": { "summaries": { "s": { \#(summary) } } } }] }"#,
            libraries: ["AggregatePlugin"])
    }

    /// The payloads of the summaries that a run has printed.
    private func summaries(_ output: String) throws -> [Value] {
        try output.split(separator: "\n").filter { $0.hasPrefix(#"{"type":"aggregate/summary""#) }
            .compactMap { try JSONText.parse(String($0))["payload"] }
    }

    @Test func `the configuration of its README does what its case says`() throws {
        let example = try #require(
            try GuidePage("Plugins/Aggregate/README.md").sessions.first { $0.heading == "Example" })
        let scene = try Scene(
            "{ \"plugins\": [\(example.blocks[0].lines.joined(separator: "\n"))] }",
            libraries: ["AggregatePlugin"])
        try scene.folder.write(example.blocks[1].lines.joined(separator: "\n"), to: "plugins.test.json")
        let outcome = try scene.call("test")
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test func `the summary in its README is one that it tells`() throws {
        let page = try GuidePage("Plugins/Aggregate/README.md")
        let shown = try #require(page.sessions.first { $0.heading == "Actions" }?.blocks.first)
        let configuration = try #require(page.sessions.first { $0.heading == "Example" }?.blocks.first)
        let scene = try Scene(
            "{ \"plugins\": [\(configuration.lines.joined(separator: "\n"))] }",
            libraries: ["AggregatePlugin"])
        let outcome = try scene.run(
            ["--print", "actions"],
            input: [("ann", "20"), ("bob", "5.5"), ("ann", "30")].map {
                #"{"type":"shop/order","payload":{"client":"\#($0)","total":\#($1)}}"#
            }.joined(separator: "\n"))
        var told = try #require(summaries(outcome.output).last?.objectValue)
        var expected = try #require(JSONText.parse(shown.lines.joined(separator: "\n")).objectValue)
        for key in ["from", "to", "partial"] { (told[key], expected[key]) = (nil, nil) }
        // The estimates are shown with fewer digits.
        let rounded = Self.rounding(.object(told))
        #expect(rounded == Self.rounding(.object(expected)))
    }

    /// A value with its numbers rounded to a tenth.
    private static func rounding(_ value: Value) -> Value {
        switch value {
        case .double(let number): .double((number * 10).rounded() / 10)
        case .object(let members): .object(Members(members.map { ($0.key, rounding($0.value)) }))
        default: value
        }
    }

    @Test func `what was counted when the input ends is told, and the run does not wait for the window`()
        throws
    {
        let scene = try scene(#""when": "a", "value": "/v", "seconds": 604800"#)
        let outcome = try scene.run(
            ["--print", "actions"],
            input: (1...500).map { #"{"type":"a","payload":{"v":\#($0)}}"# }.joined(separator: "\n"))
        let found = try summaries(outcome.output)
        #expect(found.map { $0["partial"] } == [true])
        #expect(
            found.map { $0["total"] } == [
                ["count": 500, "values": 500, "sum": 125_250.0, "min": 1.0, "max": 500.0]
            ])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }

    @Test func `a window ends by the clock of the machine`() throws {
        let scene = try scene(#""when": "a", "seconds": 1"#)
        let child = try scene.start(["--print", "actions"])
        child.write(#"{"type":"a"}"# + "\n")
        try child.waitForOutput(#"{"type":"aggregate/summary","payload":{"summary":"s""#)
        child.signal(15)
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `what was counted before a crash is counted after it, once`() throws {
        let scene = try scene(
            #""when": "a", "by": "/k", "seconds": 604800, "distinct": "/k""#,
            #""journal": { "directory": "journal", "mode": "strict" }, "#)
        let lines = (1...50).map { #"{"type":"a","payload":{"k":"k\#($0 % 5)"}}"# }
        let child = try scene.start(["--print", "actions"])
        child.write(lines.joined(separator: "\n") + "\n" + #"{"type":"last"}"# + "\n")
        try child.waitForOutput(#"{"type":"last"}"#)
        child.signal(9)
        _ = try child.finish()
        let after = try scene.run(["--print", "actions"], input: lines.joined(separator: "\n"))
        let total = try summaries(after.output).reduce(0) { $0 + ($1["total"]?["count"]?.intValue ?? 0) }
        // One summary, unless the week ended between the two runs.
        #expect(total == 100)
        #expect(after.exitCode == 0)
    }

    @Test(arguments: [
        (
            #""when": "a", "seconds": 60, "percentiles": [50]"#,
            #"/plugins/0/settings/summaries/s/percentiles: "percentiles" says nothing without "value"; add it"#
        ),
        (
            #""when": "a", "seconds": 0"#,
            #"/plugins/0/settings/summaries/s/seconds: expected a number of at least 1, found 0; raise it"#
        ),
        (
            #""when": "a", "seconds": 60, "by": "client""#,
            #"/plugins/0/settings/summaries/s/by: expected a JSON Pointer such as "/id", found "client"; correct it"#
        ),
        (
            #""when": "a""#,
            #"/plugins/0/settings/summaries/s: expected the key "seconds", found none; add it"#
        ),
    ])
    func `wrong settings are refused by check, with place and remedy`(summary: String, sentence: String)
        throws
    {
        let outcome = try scene(summary).call("check")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }
}
