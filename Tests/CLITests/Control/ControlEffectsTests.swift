// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("gatehouse ctl effects, now and entry", .timeLimit(.minutes(10)))
struct ControlEffectsTests {
    /// A host with an instance whose effects stay, and this member of the configuration.
    private func host(_ members: String = "") throws -> ControlledHost {
        try ControlledHost(
            in: Scene(
                ControlledHost.configuration(
                    members,
                    entries: #", { "id": "ending", "library": "libEndingPlugin.so" }"#),
                libraries: ["CounterPlugin", "EndingPlugin"]))
    }

    @Test func `effects under way are listed with their actions and attempts`() throws {
        let host = try host(#""journal": { "directory": "journal" }, "#)
        #expect(try host.ctl("effects").output == "no effect of an action is under way\n")
        _ = try host.ctl("dispatch", "eu/increment")
        _ = try host.ctl("dispatch", "ending/stay")
        #expect(
            try host.ctl("effects").output == """
                INSTANCE  ACTION  TYPE         ATTEMPT  IF IT IS INTERRUPTED
                ending         2  ending/stay        1  it begins again

                """)
        let answer = try JSONText.parse(Array(try host.ctl("effects", "ending", "--json").output.utf8))
        #expect(
            answer == [
                "count": 1,
                "effects": [
                    [
                        "instance": "ending", "attempt": 1, "recovery": "again", "action": 2,
                        "type": "ending/stay",
                    ]
                ],
                "pauses": 0,
            ])
        #expect(try host.ctl("effects", "eu").output == "no effect of an action is under way\n")
        // A closed gate cancels what it has started.
        _ = try host.ctl("close", "ending")
        #expect(try host.ctl("effects").output == "no effect of an action is under way\n")
    }

    @Test func `without a journal actions have no numbers`() throws {
        let host = try host()
        _ = try host.ctl("dispatch", "ending/stay")
        let answer = try JSONText.parse(Array(try host.ctl("effects", "--json").output.utf8))
        #expect(
            answer["effects"] == [
                ["instance": "ending", "attempt": 1, "recovery": "again", "type": "ending/stay"]
            ])
    }

    @Test func `what waits before another attempt makes it at once`() throws {
        // Nobody listens at port 9, and the pause is some minutes long.
        let host = try ControlledHost(
            in: Scene(
                ControlledHost.configuration(
                    #""log": { "level": "debug" }, "#,
                    entries:
                        #", { "id": "chat", "library": "libHTTPClientPlugin.so", "lift": { "dependencies": ["clock"] }, "settings": { "url": "http://127.0.0.1:9/", "attempts": 2, "pause": 3600, "maximumPause": 3600 } }"#
                ),
                libraries: ["CounterPlugin", "HTTPClientPlugin"]), ["--print", "actions"])
        #expect(try host.ctl("now", "chat").output == "chat waits for nothing that could begin now\n")
        _ = try host.ctl("dispatch", "chat/send", #"{"id":7}"#)
        try host.process.waitForErrors("attempt 2 of 2 follows in")
        var effects: String
        repeat { effects = try host.ctl("effects", "chat").output } while !effects.contains("pause")
        #expect(
            effects == """
                INSTANCE  ACTION  TYPE       ATTEMPT  IF IT IS INTERRUPTED
                chat           -  chat/send        1  it begins again
                1 pause goes on; gatehouse ctl now ID ends those of an instance

                """)
        #expect(try host.ctl("now", "chat").output == "chat: 1 pause ended\n")
        try host.process.waitForOutput(#""attempts":2"#)
        #expect(try host.ctl("effects", "chat").output == "no effect of an action is under way\n")
    }

    @Test func `in a worker no pause can be ended`() throws {
        let host = try ControlledHost(
            in: Scene(
                ControlledHost.configuration(
                    entries:
                        #", { "id": "ending", "library": "libEndingPlugin.so", "placement": "worker" }"#),
                libraries: ["CounterPlugin", "EndingPlugin"]))
        let outcome = try host.ctl("now", "ending")
        #expect(
            outcome.errors
                == "gatehouse: the instance ending runs in a worker, where no pause can be ended; wait for its end\n"
        )
        #expect(outcome.exitCode == 64)
    }

    @Test func `the entry of an instance is shown as it runs`() throws {
        let host = try host()
        let entry = try JSONText.parse(Array(try host.ctl("entry", "us").output.utf8))
        #expect(entry["id"] == "us")
        #expect(entry["library"] == "libCounterPlugin.so")
        #expect(entry["gate"]?["state"] == "/features/us")
    }

    @Test(arguments: ["effects", "entry", "now"])
    func `an instance that is not there is refused`(request: String) throws {
        let outcome = try ControlledHost().ctl(request, "eux")
        #expect(
            outcome.errors
                == "gatehouse: expected the id of an instance, found \"eux\"; did you mean \"eu\"?\n")
        #expect(outcome.exitCode == 64)
    }
}
