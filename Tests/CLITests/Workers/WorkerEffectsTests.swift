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

    @Test func `an effect that begins again in another process emits what follows from its action`() throws {
        let host = try LiveHost(
            Scene(Self.courier(at: "worker"), libraries: ["CourierPlugin"]), ["--print", "actions"])
        host.write(#"{"type":"courier/send","payload":{"id":"a","parts":1}}"#)
        _ = try host.child.waitForOutput(#""attempt":1}"#)
        // What its worker has not told would begin for the first time.
        Self.wait(for: 3, in: host.scene)
        kill(try #require(WorkerProcesses(of: host.child).identifiers.first), SIGKILL)
        _ = try host.child.waitForOutput(#""attempt":2}"#)
        Self.wait(for: 4, in: host.scene)
        host.child.signal(SIGKILL)
        _ = try host.child.finish()
        let told = try host.scene.call("history", "--json", "--type", "courier/begun").output
        let causes = try told.split(separator: "\n").map { try JSONText.parse(String($0))["cause"] }
        #expect(causes == [["kind": "effect", "of": 1], ["kind": "effect", "of": 1]])
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

    @Test func `effects that a closing gate cancels have ended, for the next process and the next host`()
        throws
    {
        let host = try LiveHost(
            Scene(Self.courier(at: "worker"), libraries: ["CourierPlugin"]),
            ["--control", "--print", "actions"])
        host.write(#"{"type":"courier/send","payload":{"id":"a","parts":2}}"#)
        _ = try host.child.waitForOutput { $0.split(separator: "courier/begun").count == 3 }
        #expect(try host.ctl("close", "courier").exitCode == 0)
        while try host.ctl("effects").output != "no effect of an action is under way\n" {}
        kill(try #require(WorkerProcesses(of: host.child).identifiers.first), SIGKILL)
        try host.child.waitForErrors("another one goes on from its last checkpoint")
        #expect(try host.ctl("open", "courier").exitCode == 0)
        host.write(#"{"type":"courier/send","payload":{"id":"b","parts":1}}"#)
        _ = try host.child.waitForOutput(#""id":"b","part":1"#)
        // The parcels, that they were accepted, their parts, and the gate.
        Self.wait(for: 9, in: host.scene)
        host.child.signal(SIGKILL)
        var output = try host.child.finish().output
        let next = try LiveHost(host.scene, ["--print", "actions"])
        _ = try next.child.waitForOutput(#""attempt":2"#)
        next.child.signal(SIGKILL)
        output += try next.child.finish().output
        let begun = output.split(separator: "\n").filter { $0.contains("courier/begun") }
        #expect(begun.map { $0.contains(#""id":"a""#) } == [true, true, false, false], "\(begun)")
    }

    @Test(arguments: ["host", "worker"])
    func `a run without more input does not wait for an effect in the background`(placement: String) throws {
        let host = try LiveHost(
            Scene(Self.courier(at: placement), libraries: ["CourierPlugin"]), ["--print", "actions"])
        host.write(#"{"type":"courier/send","payload":{"id":"a","parts":1,"way":"background"}}"#)
        _ = try host.child.waitForOutput("courier/begun")
        #expect(try host.finish().exitCode == 0)
    }

    @Test(arguments: ["host", "worker"])
    func `what is stopped at the end of a run is not waited for`(placement: String) throws {
        let text = Self.courier(at: placement).replacing(#""journal": {}, "#, with: "")
        let host = try LiveHost(
            Scene(text, libraries: ["CourierPlugin"]), ["--grace", "3000", "--print", "actions"])
        host.write(Self.parcel)
        _ = try host.child.waitForOutput { $0.split(separator: "courier/begun").count == 3 }
        host.child.signal(SIGTERM)
        #expect(!(try host.child.finish().errors.contains("given up")))
    }

    @Test func `effects of an action that cancels others begin again together in another process`() throws {
        let host = try LiveHost(
            Scene(Self.courier(at: "worker"), libraries: ["CourierPlugin"]), ["--print", "actions"])
        host.write(#"{"type":"courier/send","payload":{"id":"a","parts":2,"renews":true}}"#)
        _ = try host.child.waitForOutput { $0.split(separator: "courier/begun").count == 3 }
        Self.wait(for: 4, in: host.scene)
        kill(try #require(WorkerProcesses(of: host.child).identifiers.first), SIGKILL)
        _ = try host.child.waitForOutput { $0.split(separator: "courier/begun").count == 5 }
        for part in 1...2 {
            host.write(#"{"type":"courier/arrive","payload":{"id":"a","part":\#(part)}}"#)
        }
        let output = try host.child.waitForOutput { $0.contains(#"arrived","payload":{"id":"a","part":2}"#) }
        #expect(output.contains(#"arrived","payload":{"id":"a","part":1}"#), "\(output)")
        host.child.signal(SIGKILL)
        _ = try host.child.finish()
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

    @Test(arguments: ["telling", "background"], [false, true])
    func `what does not begin again is told once, whether its host is killed or its worker`(
        way: String, isWorker: Bool
    ) throws {
        let host = try LiveHost(
            Scene(Self.courier(at: "worker"), libraries: ["CourierPlugin"]), ["--print", "actions"])
        host.write(
            #"{"type":"courier/send","payload":{"id":"a","parts":1,"way":"\#(way)"}}"#)
        _ = try host.child.waitForOutput("courier/begun")
        // The parcel, that it was accepted, and that it has begun.
        Self.wait(for: 3, in: host.scene)
        if isWorker {
            kill(try #require(WorkerProcesses(of: host.child).identifiers.first), SIGKILL)
            _ = try host.child.waitForOutput("host/effect/interrupted")
            Self.wait(for: 4, in: host.scene)
        }
        host.child.signal(SIGKILL)
        var output = try host.child.finish().output
        for _ in 1...2 {
            let next = try LiveHost(host.scene, ["--print", "actions"])
            next.write(#"{"type":"courier/arrive","payload":{"id":"b","part":1}}"#)
            _ = try next.child.waitForOutput(#""courier/arrive""#)
            next.child.signal(SIGKILL)
            output += try next.child.finish().output
        }
        #expect(output.split(separator: "courier/begun").count - 1 == 1, "\(output)")
        #expect(output.split(separator: "host/effect/interrupted").count - 1 == 1, "\(output)")
    }

    @Test func `a part that has ended does not begin again in another process, nor elsewhere`() throws {
        let host = try LiveHost(
            Scene(Self.courier(at: "worker"), libraries: ["CourierPlugin"]), ["--print", "actions"])
        host.write(Self.parcel)
        _ = try host.child.waitForOutput { $0.split(separator: "courier/begun").count == 3 }
        host.write(#"{"type":"courier/arrive","payload":{"id":"a","part":1}}"#)
        _ = try host.child.waitForOutput("courier/arrived")
        // The parcel, that it was accepted, the parts, and the arrival with what it leads to.
        Self.wait(for: 6, in: host.scene)
        host.child.signal(SIGKILL)
        var output = try host.child.finish().output
        let next = try LiveHost(host.scene, ["--print", "actions"])
        _ = try next.child.waitForOutput(#""attempt":2"#)
        try next.reload(Self.courier(at: "host"), expecting: "move courier into the host")
        _ = try next.child.waitForOutput { $0.split(separator: "courier/begun").count == 3 }
        next.child.signal(SIGKILL)
        output += try next.child.finish().output
        let begun = output.split(separator: "\n").filter { $0.contains("courier/begun") }
        #expect(begun.map { $0.contains(#""part":1"#) } == [true, false, false, false], "\(begun)")
    }

    @Test(arguments: [("host", "worker", "into a worker"), ("worker", "host", "into the host")])
    func `without a journal effects keep their keys when their instance moves, and are told under them`(
        from: String, to: String, words: String
    ) throws {
        let text = { (place: String) in Self.courier(at: place).replacing(#""journal": {}, "#, with: "") }
        let host = try LiveHost(
            Scene(text(from), libraries: ["CourierPlugin"]), ["--grace", "1", "--print", "actions"])
        host.write(#"{"type":"courier/send","payload":{"id":"a","parts":1}}"#)
        host.write(#"{"type":"courier/send","payload":{"id":"b","parts":1,"way":"telling"}}"#)
        _ = try host.child.waitForOutput { $0.split(separator: "courier/begun").count == 3 }
        try host.reload(text(to), expecting: "move courier \(words)")
        _ = try host.child.waitForOutput {
            $0.contains("host/effect/interrupted") && $0.split(separator: "courier/begun").count == 4
        }
        host.child.signal(SIGTERM)
        let output = try host.child.finish().output
        let told = try output.split(separator: "\n").map { try JSONText.parse(String($0)) }.filter {
            $0["type"] == "courier/begun" || $0["type"] == "host/effect/interrupted"
        }
        let keys = told.map { $0["payload"]?["key"]?.stringValue ?? "" }
        #expect(keys.count == 4 && Set(keys).count == 2, "\(output)")
        #expect(keys.allSatisfy { $0.hasSuffix("-courier") }, "\(output)")
    }
}
