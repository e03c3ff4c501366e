// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What instances say about themselves, on the built program.
@Suite(.timeLimit(.minutes(10))) struct HealthTests {
    /// What the program writes while it runs lines for the plugin, each a local type with a payload.
    private func errors(_ lines: [(type: String, payload: String)], _ arguments: String...) throws -> [String]
    {
        let scene = try Scene(#"{ "plugins": [{ "id": "patient" }] }"#, libraries: ["PatientPlugin"])
        let input = lines.map { #"{"type":"patient/\#($0.type)","payload":\#($0.payload)}"# + "\n" }
        let outcome = try scene.run(["--print", "none"] + arguments, input: input.joined())
        #expect(outcome.exitCode == 0)
        return outcome.errorLines
    }

    @Test func `an instance that is failing is told once, with its reason`() throws {
        let lines = try errors([
            ("sicken", #""the mail server does not answer""#),
            ("sicken", #""the mail server does not answer""#),
        ])
        #expect(
            lines == [
                "patient: is failing: the mail server does not answer",
                "gatehouse: 2 lines, 2 actions, 0 rejected",
            ])
    }

    @Test func `another reason is told, and that an instance is no longer failing`() throws {
        let lines = try errors([
            ("sicken", #""no connection""#), ("sicken", #""no\nroom""#), ("recover", "null"),
        ])
        #expect(
            lines == [
                "patient: is failing: no connection", #"patient: is failing: no\nroom"#,
                "patient: is no longer failing", "gatehouse: 3 lines, 3 actions, 0 rejected",
            ])
    }

    @Test func `an instance that was never failing does not recover`() throws {
        #expect(try errors([("recover", "null")]) == ["gatehouse: 1 line, 1 action, 0 rejected"])
    }

    @Test func `a long reason is cut`() throws {
        let lines = try errors([("sicken", "\"" + String(repeating: "x", count: 2_000) + "\"")])
        #expect(lines.first == "patient: is failing: " + String(repeating: "x", count: 500))
    }

    @Test(arguments: [
        (
            [("count", #"{"name":"sent mails","by":1}"#)],
            #""sent mails" is not kept: expected a name of 1 to 64 letters, digits and _; rename it"#
        ),
        (
            [("count", #"{"name":"","by":1}"#)],
            #""" is not kept: expected a name of 1 to 64 letters, digits and _; rename it"#
        ),
        (
            [("count", #"{"name":"sent","by":-1}"#)],
            #""sent" is not kept: expected a count that grows, found -1; make it a gauge"#
        ),
        (
            [("count", #"{"name":"sent","by":1}"#), ("gauge", #"{"name":"sent","value":1}"#)],
            #""sent" is not kept: expected a count, as before, found a gauge; give it another name"#
        ),
        (
            [("gauge", #"{"name":"queue","value":1}"#), ("count", #"{"name":"queue","by":1}"#)],
            #""queue" is not kept: expected a gauge, as before, found a count; give it another name"#
        ),
        (
            [("time", #"{"name":"save","milliseconds":-1}"#)],
            #""save" is not kept: expected a time of 0 or more, found -0.001 seconds"#
        ),
        (
            [("time", #"{"name":"save","milliseconds":1}"#), ("count", #"{"name":"save","by":1}"#)],
            #""save" is not kept: expected a time, as before, found a count; give it another name"#
        ),
        (
            [("overflow", #"{"name":"queue"}"#)],
            #""queue" is not kept: expected a number that JSON can hold, found inf"#
        ),
        (
            [("name", "100"), ("name", "65")],
            #""n64" is not kept: expected at most 64 names, found one more; use fewer"#
        ),
    ])
    func `a number that cannot be kept is told once`(
        lines: [(type: String, payload: String)], sentence: String
    ) throws {
        // Twice, because what is told once is not told again.
        let told = try errors(lines + lines).dropLast().filter { $0.contains(sentence) }
        #expect(told == ["patient: its number " + sentence])
    }

    @Test(arguments: [
        (
            #""pulse": 61"#,
            "/plugins/0/settings/pulse: expected an even number, found 61; its description: Pulse: How often the heart beats in a minute."
        ),
        (
            #""rest": [50, 51]"#,
            "/plugins/0/settings/rest/1: expected beats that come in pairs, found 51"
        ),
    ])
    func `settings that the plugin refuses are told in the words of its schema`(
        settings: String, sentence: String
    ) throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "patient", "settings": { \#(settings) } }] }"#,
            libraries: ["PatientPlugin"])
        let outcome = try scene.run()
        #expect(outcome.errorLines.map { $0.drop { $0 != " " }.dropFirst() } == [sentence[...]])
        #expect(outcome.exitCode == 78)
    }

    @Test func `an action that was not done is told and counted, and the run does not end with 0`() throws {
        let scene = try Scene(#"{ "plugins": [{ "id": "patient" }] }"#, libraries: ["PatientPlugin"])
        let outcome = try scene.run(
            ["--print", "none"],
            input: #"{"type":"patient/refuse","payload":{"reason":"the disk is full"}}"# + "\n")
        #expect(
            outcome.errorLines == [
                #"patient: has not done "refuse": the disk is full"#,
                "gatehouse: 1 line, 1 action, 0 rejected, 1 failed in patient",
            ])
        #expect(outcome.exitCode == 75)
    }

    @Test func `numbers that are kept are not told`() throws {
        let lines = try errors([
            ("count", #"{"name":"sent","by":2}"#), ("count", #"{"name":"sent","by":9223372036854775807}"#),
            ("gauge", #"{"name":"queue_length","value":2.5}"#), ("name", "62"),
        ])
        #expect(lines == ["gatehouse: 4 lines, 4 actions, 0 rejected"])
    }
}
