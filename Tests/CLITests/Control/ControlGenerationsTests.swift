// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("gatehouse ctl generations", .timeLimit(.minutes(10)))
struct ControlGenerationsTests {
    /// Another instance, with these settings.
    private func more(_ settings: String = "") -> String {
        #", { "id": "more", "library": "libCounterPlugin.so"\#(settings) }"#
    }

    @Test func `the journal tells when an instance got its library, settings and gate`() throws {
        let journal = #""journal": { "directory": "journal" }, "#
        let host = try ControlledHost(
            in: Scene(
                ControlledHost.configuration(journal, entries: more()), libraries: ["CounterPlugin"]))
        _ = try host.ctl("dispatch", "eu/increment")
        for settings in [#", "settings": { "step": 2 }"#, #", "settings": { "step": 3 }"#] {
            try host.scene.folder.write(
                ControlledHost.configuration(journal, entries: more(settings)), to: "plugins.json")
            #expect(try host.ctl("reload").exitCode == 0)
        }
        let lines = try host.ctl("generations", "more").output.split(separator: "\n").map(String.init)
        #expect(
            lines.map { $0.drop { $0 != " " } }.map { $0.prefix { $0 != "," } } == [
                "  generation 3 of run 1", "    counter 1.0.0", "  generation 2 of run 1",
                "    counter 1.0.0",
                "  generation 1 of run 1", "    counter 1.0.0",
            ])
        #expect(lines.first?.hasSuffix(", after action 1: other settings") == true)
        #expect(lines.last?.hasSuffix(", gate active") == true)
        #expect(try host.ctl("generations", "more", "1").output.hasSuffix("\nand 2 older ones\n"))
        let answer = try JSONText.parse(try host.ctl("generations", "eu", "--json").output)
        #expect(answer["count"] == 1)
        #expect(answer["generations"]?[0]?["changes"] == ["as the journal first knows it"])
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `what the journal does not know is refused`() throws {
        let host = try ControlledHost(#""journal": { "directory": "journal" }, "#)
        let unknown = try host.ctl("generations", "eux")
        #expect(
            unknown.errors
                == "gatehouse: expected the id of an instance, found \"eux\"; did you mean \"eu\"?\n")
        #expect(unknown.exitCode == 64)
        let count = try host.ctl("generations", "eu", "none")
        #expect(count.errors.contains("expected a number of generations"))
        #expect(count.exitCode == 64)
        #expect(try ControlledHost().ctl("generations", "eu").exitCode == 64)
    }
}
