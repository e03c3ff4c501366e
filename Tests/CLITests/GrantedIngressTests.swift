// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Instances that bring actions as inputs do.
@Suite(.timeLimit(.minutes(10))) struct GrantedIngressTests {
    /// A probe with members of its entry.
    private func scene(_ members: String) throws -> Scene {
        try Scene(#"{ "plugins": [{ "id": "probe"\#(members) }] }"#, libraries: ["ProbePlugin"])
    }

    private func bring(_ type: String) -> String {
        #"{"type":"probe/bring","payload":{"type":"\#(type)"}}"# + "\n"
    }

    @Test func `what an instance brings is processed with what it leads to before the instance is told`()
        throws
    {
        let outcome = try scene(#", "lift": { "dependencies": ["ingress"] }"#)
            .run(["--print", "actions"], input: bring("probe/ping"))
        #expect(
            outcome.output == """
                {"type":"probe/bring","payload":{"type":"probe/ping"}}
                {"type":"probe/ping","payload":{"number":7}}
                {"type":"probe/pong","payload":{"number":7}}
                {"type":"probe/echoed","payload":{"text":"processed"}}

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `what is brought while the input is open does not wait for its next line`() throws {
        let child = try scene(#", "lift": { "dependencies": ["ingress"] }"#).start(["--print", "actions"])
        child.write(bring("probe/ping"))
        try child.waitForOutput(#"{"type":"probe/echoed","payload":{"text":"processed"}}"# + "\n")
        child.closeInput()
        #expect(try child.finish().exitCode == 0)
    }

    @Test(arguments: [
        ("", "not granted"), (#", "lift": { "dependencies": ["clock"] }"#, "not granted"),
        (
            #", "lift": { "dependencies": ["ingress"] }"#,
            #"refused("host/state/merge belongs to the host; let the instance probe send it by \"allow\"")"#
        ),
        (
            #", "lift": { "dependencies": ["ingress"] }, "allow": ["probe/echoed", "host/state/merge"]"#,
            "processed"
        ),
    ])
    func `an instance brings what it was granted, and host actions only where it is allowed to`(
        members: String, result: String
    ) throws {
        let outcome = try scene(members).run(input: bring("host/state/merge"))
        let text = result.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        #expect(outcome.output.contains("\"echo\": \"\(text)\""), "\(outcome.output)")
    }

    @Test func `many that bring at the same time are all told`() throws {
        let outcome = try scene(#", "lift": { "dependencies": ["ingress"] }"#)
            .run(input: String(repeating: bring("probe/ping"), count: 2_000))
        // Asked for, brought and told.
        #expect(outcome.output.contains("\"heard\": 6000"))
        #expect(outcome.errorLines.last == "gatehouse: 2000 lines, 8000 actions, 0 rejected")
    }
}
