// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What becomes of an effect in a worker when its process ends, again and again.
@Suite(.timeLimit(.minutes(10))) struct WorkerEffectsTests {
    @Test func `an effect begins again under its key after each end of its host, and of its worker`() throws {
        let scene = try Scene(Self.courier(at: "worker"), libraries: ["CourierPlugin"])
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
            Self.wait(for: begun.count + (attempt == 3 ? 2 : 1) + 2, in: scene)
            host.signal(SIGKILL)
            begun += try host.finish().output.split(separator: "\n").map { try JSONText.parse(String($0)) }
                .filter { $0["type"] == "courier/begun" }
        }
        #expect(begun.map { $0["payload"]?["attempt"] } == [1, 2, 3, 4])
        #expect(Set(begun.map { $0["payload"]?["key"] }).count == 1, "\(begun)")
        #expect(begun[0]["payload"]?["key"]?.stringValue?.hasSuffix("-courier") == true)
    }

    /// Waits until the journal has so many actions.
    private static func wait(for count: Int, in scene: Scene) {
        let journal = JournalFile(in: scene.folder("journal"))
        while journal.number("SELECT max(first + count) - 1 FROM batch") ?? 0 < count {}
    }

    /// What a courier sends in two parts, neither of which arrives.
    private static let parcel = #"{"type":"courier/send","payload":{"id":"a","parts":2}}"#

    /// A courier at a place.
    private static func courier(at placement: String) -> String {
        """
        { "name": "shop", "journal": {}, "discovery": "ignore",
          "plugins": [{ "id": "courier", "placement": "\(placement)" }] }
        """
    }

    @Test(arguments: [("host", "worker", "into a worker"), ("worker", "host", "into the host")])
    func
        `effects go on when their instance moves, and what has followed from their action does not follow again`(
            from: String, to: String, words: String
        ) throws
    {
        let host = try LiveHost(
            Scene(Self.courier(at: from), libraries: ["CourierPlugin"]), ["--print", "actions"])
        let begun = { (text: String) in text.split(separator: "courier/begun").count - 1 }
        host.write(Self.parcel)
        _ = try host.child.waitForOutput { begun($0) == 2 }
        try host.reload(Self.courier(at: to), expecting: "move courier \(words)")
        _ = try host.child.waitForOutput { begun($0) == 4 }
        // The parcel, that it was accepted, and the parts.
        Self.wait(for: 6, in: host.scene)
        host.child.signal(SIGKILL)
        let first = try host.child.finish().output
        let next = try LiveHost(host.scene, ["--print", "actions"])
        _ = try next.child.waitForOutput { begun($0) == 2 }
        next.child.signal(SIGKILL)
        let outcome = try next.child.finish()
        #expect(outcome.output.split(separator: #""attempt":2"#).count == 3, "\(outcome.output)")
        let accepted = (first + outcome.output).split(separator: "courier/accepted").count - 1
        #expect(accepted == 1, "\(first)\(outcome.output)")
        #expect(begun(first) == 4 && begun(outcome.output) == 2, "\(first)\(outcome.output)")
    }
}
