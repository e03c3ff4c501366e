// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Which way into a host may bring what.
@Suite(.timeLimit(.minutes(10))) struct HTTPAllowTests {
    @Test func `what a hook brings by signature comes in no other way`() throws {
        let host = try HTTPHost(
            HTTPHost.configuration(
                #""allow": ["counter/*"]"#,
                members: #""ingress": { "input": { "deny": ["github/*"] } }, "#),
            ["--print", "actions"])
        let forged = #"{"type":"github/push","payload":{"ref":"forged"}}"#
        let refused = try host.bring(#"{"type":"counter/increment"}"# + "\n" + forged)
        #expect(refused.status == 422)
        #expect(
            refused.body
                == #"{"accepted":1,"refused":1,"refusals":[{"line":2,"reason":"github/push: POST /actions of http does not let it in; add it to \"allow\" of its settings, or send it in another way"}]}"#
                + "\n")
        host.child.write(forged + "\n")
        try host.child.waitForErrors(
            #"standard input:1: github/push: this input may not carry it: "deny" of "ingress"/"input" lists "github/*""#
        )
        #expect(try host.deliver("one", event: "push", body: #"{"ref":"signed"}"#).status == 200)
        let outcome = try host.finish()
        #expect(outcome.output.contains("signed"))
        #expect(!outcome.output.contains("forged"))
    }
}
