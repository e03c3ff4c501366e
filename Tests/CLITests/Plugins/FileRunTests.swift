// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// The plugin in a host, on a real disk.
@Suite(.timeLimit(.minutes(10))) struct FileRunTests {
    @Test func `the configuration of the README writes what it says, and a host reads it back`() throws {
        let scene = try Scene(PluginReadme.configuration(of: "File"), libraries: ["FilePlugin"])
        let lines = (1...100).map { #"{"type":"orders/placed","payload":{"id":\#($0)}}"# }
        let outcome = try scene.run(
            input: (lines + [#"{"type":"orders/viewed"}"#, #"{"type":"other"}"#]).joined(separator: "\n"))
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let written = try scene.folder.read("data/archive/orders.ndjson")
        #expect(written == lines.map { $0 + "\n" }.joined())
        let back = try Scene(#"{ "plugins": [] }"#).run(["--print", "actions"], input: written)
        #expect(back.output == written)
    }

    @Test func `a host that is killed leaves whole lines, and the next one goes on after them`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "file", "settings": { "include": ["*"] } }] }"#, libraries: ["FilePlugin"]
        )
        let child = try scene.start(["--print", "none"])
        child.write((1...2_000).map { "{\"type\":\"a\",\"payload\":\($0)}\n" }.joined() + "mark\n")
        try child.waitForErrors("expected a value, found mark")
        child.signal(9)
        _ = try child.finish()
        #expect(try scene.run(input: #"{"type":"last"}"#).exitCode == 0)
        let lines = try scene.folder.read("data/file/actions.ndjson").split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.suffix(2) == [#"{"type":"last"}"#, ""])
        #expect(
            lines.dropLast(2)
                == (1...max(1, lines.count - 2)).map { "{\"type\":\"a\",\"payload\":\($0)}" }.prefix(
                    lines.count - 2))
    }

    @Test func `a disk that is full is told for each action, and what was written stays whole`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "file", "settings": { "include": ["a"] } }] }"#, libraries: ["FilePlugin"]
        )
        let child = try scene.start(["--print", "actions"])
        child.write("mark\n")
        try child.waitForErrors("expected a value, found mark")
        try child.limitFiles(to: 1_000)
        child.write((1...100).map { "{\"type\":\"a\",\"payload\":\($0 + 1_000)}\n" }.joined())
        child.closeInput()
        let outcome = try child.finish()
        let written = try scene.folder.read("data/file/actions.ndjson")
        // 28 bytes each.
        #expect(written == (1...35).map { "{\"type\":\"a\",\"payload\":\($0 + 1_000)}\n" }.joined())
        let failed = outcome.output.split(separator: "\n").filter { $0.contains("file/failed") }
        #expect(failed.count == 65)
        let first = try #require(failed.first)
        #expect(
            first.hasPrefix(
                #"{"type":"file/failed","payload":{"instance":"file","reason":"diskFull","message":"./"#))
        #expect(
            first.hasSuffix(
                #"/data/file/actions.ndjson: there is no room for more (File too large); free some","action":{"type":"a","payload":1036}},"error":true}"#
            ))
        #expect(outcome.exitCode == 75)
    }

    @Test func `settings that cannot be meant are refused by check, with place and sentence`() throws {
        let scene = try Scene(
            #"""
            { "plugins": [{ "id": "file", "settings": {
              "directory": "logs",
              "file": "../x",
              "include": ["a*b"] } }] }
            """#, libraries: ["FilePlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errors == """
                plugins.json:2:16: /plugins/0/settings/directory: expected a path that begins with a slash, or an empty text, found "logs"; correct it
                plugins.json:3:11: /plugins/0/settings/file: expected a name for a file, without slashes, found "../x"; correct it
                plugins.json:4:15: /plugins/0/settings/include/0: expected an action type, with * at most at its end, found "a*b"; correct it

                """)
        #expect(outcome.exitCode == 78)
    }
}
