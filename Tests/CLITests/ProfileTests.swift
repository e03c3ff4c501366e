// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Where the time of a run went, on the built program.
@Suite(.timeLimit(.minutes(10))) struct ProfileTests {
    @Test func `a profile tells for each instance what it did and how long that took`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter" }, { "id": "patient" }, { "id": "probe" }] }"#,
            libraries: ["CounterPlugin", "PatientPlugin", "ProbePlugin"])
        let input =
            String(repeating: #"{"type":"counter/increment"}"# + "\n", count: 3)
            + String(repeating: #"{"type":"patient/ask"}"# + "\n", count: 2)
        let outcome = try scene.run(["--profile", "--print", "none"], input: input)
        // Numbers of nanoseconds are what varies.
        let lines = outcome.errorLines.map { line in
            line.split(separator: " ").map { Int($0) != nil && line.contains(" ns") ? "N" : String($0) }
        }.map { $0.joined(separator: " ") }
        #expect(
            lines == [
                "gatehouse: counter: N heard, N emitted; handle N × N ns, reduce N × N ns",
                "gatehouse: patient: N heard, N emitted; handle N × N ns, IO N × N ns",
                "gatehouse: probe: 0 heard, 0 emitted",
                "gatehouse: 5 lines, 7 actions, 0 rejected",
            ])
        #expect(outcome.errorLines[0].hasPrefix("gatehouse: counter: 3 heard, 0 emitted; handle 3 × "))
        #expect(outcome.errorLines[0].contains(", reduce 3 × "))
        #expect(outcome.errorLines[1].hasPrefix("gatehouse: patient: 4 heard, 2 emitted; handle 4 × "))
        #expect(outcome.exitCode == 0)
    }
}
