// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What becomes of an effect in a worker when its process ends, again and again.
@Suite(.timeLimit(.minutes(10))) struct WorkerEffectsTests {
    @Test func `an effect begins again under its key after each end of its host, and of its worker`() throws {
        let scene = try Scene(
            #"""
            { "name": "shop", "journal": {}, "discovery": "ignore",
              "plugins": [{ "id": "courier", "placement": "worker" }] }
            """#, libraries: ["CourierPlugin"])
        let journal = JournalFile(in: scene.folder("journal"))
        var begun: [Value] = []
        for attempt in 1...3 {
            let host = try scene.start(["--no-control", "--input", "-", "--print", "actions"])
            // Nothing else comes, in any life.
            if attempt == 1 {
                host.write(#"{"type":"courier/send","payload":{"id":"a","parts":1}}"# + "\n")
            }
            try host.waitForOutput(#""attempt":\#(attempt)}"#)
            if attempt == 3 {
                kill(try #require(WorkerProcesses(of: host).identifiers.first), SIGKILL)
                try host.waitForOutput(#""attempt":4}"#)
            }
            // Two actions come before, and each beginning emits one. What was not kept would begin for the first time.
            let last = begun.count + (attempt == 3 ? 2 : 1) + 2
            while journal.number("SELECT max(first + count) - 1 FROM batch") ?? 0 < last {}
            host.signal(SIGKILL)
            begun += try host.finish().output.split(separator: "\n").map { try JSONText.parse(String($0)) }
                .filter { $0["type"] == "courier/begun" }
        }
        #expect(begun.map { $0["payload"]?["attempt"] } == [1, 2, 3, 4])
        #expect(Set(begun.map { $0["payload"]?["key"] }).count == 1, "\(begun)")
        #expect(begun[0]["payload"]?["key"]?.stringValue?.hasSuffix("-courier") == true)
    }
}
