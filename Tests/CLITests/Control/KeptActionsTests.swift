// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// Actions that were dropped on purpose, and are kept because the configuration asks for it.
@Suite(.timeLimit(.minutes(10))) struct KeptActionsTests {
    /// A host that stops, gates and refuses, and keeps all of that; it has a journal unless it is not to have one.
    private func scene(_ keep: String = "true", journal: String = #""journal": {}, "#) throws -> Scene {
        try Scene(
            """
            { "name": "shop", "discovery": "ignore", \(journal)"state": { "features": { "us": false } },
              "ingress": { "deny": ["secret/*"], "keep": \(keep) },
              "plugins": [
                { "id": "limit", "keep": \(keep), "settings": { "rules": {
                    "one": { "when": "eu/increment", "rate": { "most": 1, "seconds": 3600 } } } } },
                { "id": "eu", "library": "libCounterPlugin.so", "lift": { "state": "/orders/eu" } },
                { "id": "us", "keep": \(keep), "library": "libCounterPlugin.so", "gate": { "state": "/features/us" } }] }
            """, libraries: ["CounterPlugin", "LimitPlugin"])
    }

    /// Kind, instance, reason and action of each letter, in order of the kinds.
    private func letters(_ host: ControlledHost) throws -> [[String]] {
        let answer = try JSONText.parse(try host.ctl("dead-letters", "--json").output)
        return (answer["letters"]?.arrayValue ?? []).map { letter in
            ["kind", "instance", "reason"].map { letter[$0]?.stringValue ?? "" } + [
                letter["action"]?.json() ?? ""
            ]
        }.sorted { $0[0] < $1[0] }
    }

    @Test
    func `what an interceptor stops, a gate keeps away or an input may not carry can be dispatched again`()
        throws
    {
        let scene = try scene()
        let host = try ControlledHost(in: scene)
        for line in [
            #"{"type":"eu/increment","payload":{"by":1}}"#, #"{"type":"eu/increment","payload":{"by":2}}"#,
            #"{"type":"us/increment","payload":{"by":3}}"#, #"{"type":"secret/x","payload":4}"#,
        ] { host.process.write(line + "\n") }
        try host.process.waitForErrors("secret/x: input may not carry it")
        let kept = [
            ["gated", "us", "its gate is closed", #"{"type":"us/increment","payload":{"by":3}}"#],
            [
                "refused-input", "", #"input may not carry it: "ingress"/"deny" lists "secret/*""#,
                #"{"type":"secret/x","payload":4}"#,
            ],
            [
                "stopped", "limit", "its interceptor stopped it",
                #"{"type":"eu/increment","payload":{"by":2}}"#,
            ],
        ]
        try host.waitForLetters(3)
        #expect(try letters(host) == kept)
        _ = try host.finish()
        // They outlive the run.
        let again = try ControlledHost(in: scene)
        #expect(try letters(again) == kept)
        // The limit stops it once more, which takes the place of the letter before.
        let stopped = try again.ctl("redispatch", "--all", "--kind", "stopped")
        #expect(stopped.output.hasSuffix(": dead again, as 4: its interceptor stopped it\n"))
        _ = try again.ctl("dispatch", "host/state/merge", #"{"features":{"us":true}}"#)
        #expect(try again.ctl("redispatch", "--all", "--kind", "gated").output.hasSuffix(": processed\n"))
        #expect(try again.ctl("state", "/us/count").output == "3\n")
        _ = try again.finish()
    }

    @Test func `what an interceptor has held back is kept once it lets go of it`() throws {
        let scene = try Scene(
            """
            { "name": "shop", "discovery": "ignore", "state": {}, "plugins": [
                { "id": "limit", "keep": true, "library": "libLimitPlugin.so", "settings": { "rules": {
                    "typing": { "when": "eu/increment", "debounce": 3600 } } } },
                { "id": "eu", "library": "libCounterPlugin.so" }] }
            """, libraries: ["CounterPlugin", "LimitPlugin"])
        let host = try ControlledHost(in: scene)
        for number in 1...3 {
            _ = try host.ctl("dispatch", #"{"type":"eu/increment","payload":{"by":\#(number)}}"#)
        }
        try host.waitForLetters(2)
        #expect(
            try letters(host)
                == [1, 2].map {
                    [
                        "stopped", "limit", "its interceptor stopped it",
                        #"{"type":"eu/increment","payload":{"by":\#($0)}}"#,
                    ]
                })
        // The last one passes when the run ends.
        let end = try host.finish()
        #expect(end.output.contains(#""count": 3"#))
    }

    @Test func `count, bytes and places bound what is kept, and what had to go is counted`() throws {
        let scene = try scene(#"{ "count": 2, "without": ["/payload/token", "/meta"] }"#, journal: "")
        let host = try ControlledHost(in: scene)
        for number in 1...4 {
            _ = try host.ctl(
                "dispatch",
                #"{"type":"us/increment","payload":{"by":\#(number),"token":"t"},"meta":{"user":"ann"}}"#)
        }
        #expect(
            try letters(host)
                == [3, 4].map {
                    [
                        "gated", "us", "its gate is closed; kept without /payload/token, /meta",
                        #"{"type":"us/increment","payload":{"by":\#($0)}}"#,
                    ]
                })
        #expect(try host.ctl("dead-letters").output.hasSuffix("2 older ones discarded for lack of room\n"))
        #expect(
            try host.ctl("status").output.contains(
                "\n2 dead letters, 2 older ones discarded for lack of room; see gatehouse ctl dead-letters\n")
        )
        #expect(
            try host.ctl("metrics").output.contains(
                "gatehouse_dead_letters_forgotten_total{host=\"shop\"} 2\n"))
        _ = try host.finish()
    }

    @Test func `wrong bounds are refused with their places`() throws {
        let scene = try Scene(
            #"{ "ingress": { "keep": 1 }, "plugins": [{ "id": "counter", "keep": { "count": 0, "ages": 1 } }] }"#,
            libraries: ["CounterPlugin"])
        #expect(
            try scene.call("check").errorLines == [
                "plugins.json:1:24: /ingress/keep: expected true or an object of bounds, found 1; write true",
                "plugins.json:1:79: /plugins/0/keep/count: expected a whole number from 1 to 100000, found 0; write one in that range",
                "plugins.json:1:82: /plugins/0/keep/ages: unknown key \"ages\"; did you mean \"age\"?",
            ])
    }
}

extension ControlledHost {
    /// Waits until so many dead letters are kept; each question takes a turn of the host.
    fileprivate func waitForLetters(_ count: Int) throws {
        while try status()["deadLetters"]?.intValue ?? 0 < count { sched_yield() }
    }
}
