// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Which journal a run goes on with.
@Suite(.timeLimit(.minutes(10))) struct RunJournalTests {
    @Test func `a sound configuration without a journal leaves that of the last service alone`() throws {
        let scene = try Scene.counter(#""journal": {}, "ingress": { "listen": ["unix:in.sock"] }, "#)
        let line = #"{"type":"counter/increment"}"# + "\n"
        let service = try scene.start(["--no-control", "--input", "-", "--print", "actions"])
        service.write(line)
        try service.waitForOutput(line)
        service.signal(SIGTERM)
        let ended = try service.finish()
        #expect(ended.exitCode == 0, "\(ended.errors)")
        try scene.folder.write(LiveHost.counter, to: "plugins.json")
        let outcome = try scene.run(input: line)
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n", "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }
}
