// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks
@testable import GatehouseRuntime

/// What a line of a probe led to.
struct ProbeResultTests {
    @Test func `a result says first what was done, and nothing that does not apply`() {
        #expect(ProbeResult(did: "start").json.json() == #"{"did":"start"}"#)
        let result = ProbeResult(did: "action", ["heard": true], error: "it hangs", isLast: true)
        #expect(result.json.json() == #"{"did":"action","heard":true,"error":"it hangs"}"#)
        #expect(result.isBad && result.isLast)
    }

    @Test func `a result is bad that has an error, or of which operators are told`() {
        #expect(!ProbeResult(did: "stop").isBad && !ProbeResult(did: "stop").isLast)
        #expect(ProbeResult(did: "stop", isBad: true).isBad)
        #expect(ProbeResult(did: "stop", error: "no").isBad)
    }

    @Test func `what a plugin writes, its health and a pause are not bad, and all else that is told is`() {
        let usual: [HostReport] = [
            .log(.error, instance: "a", line: "x"), .health(.ok, instance: "a"),
            .heldInput(effects: 5_000, until: 2_048),
        ]
        #expect(usual.allSatisfy { !$0.isBad })
        let bad: [HostReport] = [
            .health(.failing("no"), instance: "a"),
            .rejectedLine(input: "in", line: 1, column: 1, reason: "no"), .lostInput("no"), .control("no"),
            .refusedInput(
                source: ActionSource(file: "in", function: "", line: 1, info: nil), type: "a", reason: "no"),
        ]
        #expect(bad.allSatisfy { $0.isBad })
    }
}
