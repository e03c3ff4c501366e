// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseHostTesting
import Testing

/// What keeps the program from starting, and what does not.
@Suite(.timeLimit(.minutes(10))) struct StartupTests {
    private let empty = "{}\n"

    @Test func `the configuration that comes with the project starts as it stands, and does what it shows`()
        throws
    {
        let project = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
        let shipped = try String(contentsOfFile: project + "/plugins.json", encoding: .utf8)
        let scene = try Scene(
            shipped.replacing("\"directory\": \".build/plugins\"", with: "\"directory\": \"plugins\""),
            libraries: [
                "PersistencePlugin", "CounterPlugin", "CrashReportsPlugin", "LoggerPlugin", "RulesPlugin",
            ])
        let check = try scene.call("check")
        #expect(
            check.errors
                == "gatehouse: plugins.json: OK (5 instances, 4 libraries)\ngatehouse: a run ends when its input does\n"
        )
        #expect(check.exitCode == 0)
        let outcome = try scene.run(["--input", project + "/Examples/orders.ndjson"])
        #expect(outcome.output.contains(#""orders": {"#))
        #expect(outcome.exitCode == 0)
    }

    @Test func `every problem of the configuration is told at once, with 78`() throws {
        let scene = try Scene(
            """
            {
              "pluginz": [],
              "plugins": [
                { "id": "counter", "gate": { "state": "features" } },
                { "id": "counter" },
                { "id": "orders", "library": "libOrders.so" },
                { "id": "countre" }
              ]
            }
            """, libraries: ["CounterPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errorLines == [
                "plugins.json:2:3: /pluginz: unknown key \"pluginz\"; did you mean \"plugins\"?",
                "plugins.json:4:43: /plugins/0/gate/state: expected a JSON Pointer such as \"/orders/eu\", found \"features\"; begin it with \"/\"",
                "plugins.json:5:13: /plugins/1/id: the id \"counter\" is taken by the entry on line 4; give each instance an id of its own",
                "plugins.json:6:34: /plugins/2/library: there is no libOrders.so in ./plugins; put it there or correct the name",
                "plugins.json:7:13: /plugins/3/id: no library in ./plugins declares the plugin id \"countre\"; did you mean \"counter\"?",
            ])
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 78)
    }

    @Test func `settings that do not fit the plugin end with 78 and their place`() throws {
        let scene = try Scene(
            """
            { "plugins": [
              { "id": "counter", "settings": { "step": "two" } },
              { "id": "more", "library": "libCounterPlugin.so", "settings": { "start": 1.5 } } ] }
            """, libraries: ["CounterPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errorLines == [
                "plugins.json:2:44: /plugins/0/settings/step: expected an integer, found \"two\"; correct it",
                "plugins.json:3:76: /plugins/1/settings/start: expected an integer, found 1.5; correct it",
            ])
        #expect(outcome.exitCode == 78)
    }

    @Test func `a setting that the plugin does not have ends with 78 and the near miss`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "settings": { "stepp": 2, "colour": "red" } }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errorLines == [
                "plugins.json:1:48: /plugins/0/settings/stepp: unknown key \"stepp\"; did you mean \"step\"?",
                "plugins.json:1:60: /plugins/0/settings/colour: unknown key \"colour\", expected \"start\" or \"step\"; rename or remove it",
            ])
        #expect(outcome.exitCode == 78)
    }

    @Test func `a configuration that is not there ends with 78`() throws {
        let outcome = try Scene.counter().run(["--config", "other.json"])
        #expect(
            outcome.errors
                == "gatehouse: other.json: No such file or directory; name the configuration with --config\n")
        #expect(outcome.exitCode == 78)
    }

    @Test func `a configuration that is not JSON ends with 78 and its place`() throws {
        let outcome = try Scene("{ \"plugins\": [ }").run()
        #expect(outcome.errors.hasPrefix("plugins.json:1:16: expected "))
        #expect(outcome.exitCode == 78)
    }

    @Test func `an input that is not there ends with 64`() throws {
        let outcome = try Scene.counter().run(["--input", "none.ndjson"])
        #expect(
            outcome.errors
                == "gatehouse: none.ndjson: No such file or directory; name the input with --input\n")
        #expect(outcome.exitCode == 64)
    }

    @Test func `a folder as input ends with 64`() throws {
        let outcome = try Scene.counter().run(["--input", "plugins"])
        #expect(
            outcome.errors
                == "gatehouse: plugins: expected more input after line 0, but reading failed with \"Is a directory\" (errno 21); give a readable file, pipe or socket.\n"
        )
        #expect(outcome.exitCode == 64)
    }

    @Test func `a plugin folder that is not there ends with 78`() throws {
        let scene = try Scene(#"{ "directory": "elsewhere", "plugins": [] }"#)
        let outcome = try scene.run()
        #expect(
            outcome.errors
                == "plugins.json:1:16: /directory: ./elsewhere: there is no such file or folder; name the folder that holds the plugin libraries\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `what follows from a wrong key is not told besides`() throws {
        let scene = try Scene(
            """
            { "directory": 7,
              "plugins": [{ "id": "none" }] }
            """)
        #expect(
            try scene.run().errors
                == "plugins.json:1:16: /directory: expected a string, found 7; put the text in double quotes\n"
        )
        try scene.folder.write(
            #"{ "discovery": "ignore", "plugins": [{ "id": "none", "library": "a/b.so" }] }"#,
            to: "plugins.json")
        #expect(
            try scene.run().errors
                == "plugins.json:1:65: /plugins/0/library: expected a file name, found \"a/b.so\"; put the library into the plugin folder and name it without a path\n"
        )
    }

    @Test func `a plugin folder that everybody may write to ends with 78 and one remedy`() throws {
        let scene = try Scene.counter()
        try FileSystem.setMode(0o777, of: scene.folder("plugins"))
        let outcome = try scene.run()
        #expect(
            outcome.errors
                == "plugins.json:1:1: /directory: ./plugins: everybody may write to it (mode 777); take that away with chmod o-w\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `control characters in the name of a library are escaped`() throws {
        let scene = try Scene("{}")
        try scene.folder.write("", to: "plugins/\u{1B}[31m\n.so")
        let outcome = try scene.run()
        #expect(
            outcome.errorLines.last?.hasPrefix(
                #"gatehouse: warning: ./plugins/\u{1B}[31m\n.so: refused: expected an ELF file"#) == true)
    }

    @Test func `a named plugin that is refused ends with 69 and the reason`() throws {
        let scene = try Scene.counter()
        var bytes = try FileSystem.read(scene.folder("plugins/libCounterPlugin.so"))
        bytes.removeLast(bytes.count - 4_096)
        try scene.folder.write(bytes, to: "plugins/libOther.so")
        try scene.folder.write(
            #"{ "plugins": [{ "id": "counter" }, { "id": "other", "library": "libOther.so" }] }"#,
            to: "plugins.json")
        let outcome = try scene.run()
        #expect(outcome.errors.hasPrefix("./plugins/libOther.so: refused for the instance other: "))
        #expect(outcome.errors.contains("the file is cut off or damaged, build or copy it again"))
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 69)
    }

    @Test func `an optional plugin that is refused is reported, the rest runs`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter" }, { "id": "other", "library": "libOther.so", "optional": true }] }"#,
            libraries: ["CounterPlugin"])
        try scene.folder.write("no library", to: "plugins/libOther.so")
        let outcome = try scene.run(input: #"{"type":"counter/increment"}"#)
        #expect(
            outcome.errorLines == [
                "gatehouse: warning: ./plugins/libOther.so: refused for the instance other: expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux",
                "gatehouse: 1 line, 1 action, 0 rejected",
            ])
        #expect(outcome.output.contains("\"count\": 1"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `with --keep-going refused and missing plugins are left out, and the run ends with 69`() throws
    {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter" }, { "id": "other", "library": "libOther.so" }, { "id": "none" }] }"#,
            libraries: ["CounterPlugin"])
        try scene.folder.write("no library", to: "plugins/libOther.so")
        let outcome = try scene.run(["--keep-going"], input: #"{"type":"counter/increment"}"#)
        #expect(
            outcome.errorLines == [
                "plugins.json:1:89: warning: /plugins/2/id: no library in ./plugins declares the plugin id \"none\"; put the library there, or name its file with \"library\"",
                "gatehouse: warning: ./plugins/libOther.so: refused for the instance other: expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux",
                "gatehouse: 1 line, 1 action, 0 rejected",
            ])
        #expect(outcome.output.contains("\"count\": 1"))
        #expect(outcome.exitCode == 69)
    }

    @Test func `with --keep-going a run with every plugin ends with 0, bad data with 65`() throws {
        let scene = try Scene.counter()
        #expect(try scene.run(["--keep-going"]).exitCode == 0)
        try scene.folder.write("no library", to: "plugins/libOther.so")
        try scene.folder.write(
            #"{ "plugins": [{ "id": "counter" }, { "id": "other", "library": "libOther.so" }] }"#,
            to: "plugins.json")
        #expect(try scene.run(["--keep-going", "--strict"], input: "nonsense").exitCode == 65)
    }

    @Test func `a pinned digest that is not the found one ends with 69`() throws {
        let pin = String(repeating: "0", count: 64)
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "sha256": "\#(pin)" }] }"#, libraries: ["CounterPlugin"])
        let outcome = try scene.run()
        #expect(
            outcome.errors.hasPrefix(
                "./plugins/libCounterPlugin.so: refused for the instance counter: SHA-256: plugins.json pins \(pin), found "
            ))
        #expect(outcome.exitCode == 69)
    }

    @Test func `a library that its group may write to is a warning, and refused when strict`() throws {
        let scene = try Scene.counter()
        try FileSystem.setMode(0o664, of: scene.folder("plugins/libCounterPlugin.so"))
        let lenient = try scene.run()
        #expect(
            lenient.errorLines.first
                == "gatehouse: warning: ./plugins/libCounterPlugin.so: its group may write to it (mode 664); take that away with chmod g-w"
        )
        #expect(lenient.exitCode == 0)
        let strict = try scene.run(["--strict"])
        #expect(
            strict.errors
                == "./plugins/libCounterPlugin.so: refused for the instance counter: its group may write to it (mode 664), refused with --strict; take that away with chmod g-w\n"
        )
        #expect(strict.exitCode == 69)
    }

    // MARK: - Dropped-in libraries

    @Test func `a broken dropped-in library is reported, the rest runs`() throws {
        let scene = try Scene.counter()
        try scene.folder.write("no library", to: "plugins/libBroken.so")
        let outcome = try scene.run(input: #"{"type":"counter/increment"}"#)
        #expect(
            outcome.errorLines == [
                "gatehouse: warning: ./plugins/libBroken.so: refused: expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux",
                "gatehouse: 1 line, 1 action, 0 rejected",
            ])
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n")
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["run", "check", "list", "plan"])
    func `a folder in which every library is refused ends with 69, and nothing runs`(command: String) throws {
        let scene = try Scene("{}")
        try scene.folder.write("no library", to: "plugins/libA.so")
        try scene.folder.write("no library", to: "plugins/libB.so")
        let outcome = try scene.call(command)
        let reason =
            "expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux"
        #expect(
            outcome.errorLines == [
                "./plugins: refused: all 2 libraries in it are refused",
                "gatehouse: warning: ./plugins/libA.so: refused: \(reason)",
                "gatehouse: warning: ./plugins/libB.so: refused: \(reason)",
            ])
        #expect(outcome.exitCode == 69)
    }

    @Test func `a folder whose only library is refused when it is loaded ends with 69`() throws {
        let outcome = try Scene("{}", libraries: ["RefusingEntryPlugin"]).run()
        #expect(outcome.errorLines.first == "./plugins: refused: its only library is refused")
        #expect(outcome.errorLines.count == 2)
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 69)
    }

    @Test func `an empty folder is no failure`() throws {
        #expect(try Scene("{}").run().exitCode == 0)
    }

    @Test func `a dropped-in library takes part, and naming it gates it`() throws {
        let scene = try Scene(#"{ "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"])
        let input = #"{"type":"probe/ping","payload":{"number":1}}"#
        #expect(try scene.run(input: input).output == "{\n  \"counter\": {\n    \"count\": 0\n  }\n}\n")
        try scene.addLibrary("ProbePlugin")
        #expect(try scene.run(input: input).output.contains("\"heard\": 1"))
        try scene.folder.write(
            #"{ "plugins": [{ "id": "counter" }, { "id": "probe", "gate": "bypass" }] }"#, to: "plugins.json")
        #expect(try scene.run(input: input).output.contains("\"heard\": 0"))
    }

    @Test(arguments: ["list", "ignore"])
    func `discovery may leave dropped-in libraries alone`(discovery: String) throws {
        let scene = try Scene.counter(#""discovery": "\#(discovery)", "#)
        try scene.addLibrary("ProbePlugin")
        try scene.folder.write("no library", to: "plugins/libBroken.so")
        let outcome = try scene.run(input: #"{"type":"probe/ping","payload":{"number":1}}"#)
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 0\n  }\n}\n")
        #expect(
            outcome.errors
                == "gatehouse: 1 line, 1 action, 0 rejected, 1 of 1 type unheard: probe/ping\n")
    }

    @Test func `a dropped-in library whose id is taken is reported`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["CounterPlugin"])
        try scene.addLibrary("CounterPlugin", as: "libCopy.so")
        let outcome = try scene.run()
        #expect(
            outcome.errorLines.first
                == "gatehouse: warning: ./plugins/libCopy.so: refused: its plugin id \"counter\" is the id of another instance; name the file in plugins.json with an id of its own"
        )
        #expect(outcome.exitCode == 0)
    }

    @Test func `two libraries that declare the id of an entry are named`() throws {
        let scene = try Scene.counter()
        try scene.addLibrary("CounterPlugin", as: "libCopy.so")
        let outcome = try scene.run()
        #expect(
            outcome.errors
                == "plugins.json:1:23: /plugins/0/id: libCopy.so and libCounterPlugin.so both declare the plugin id \"counter\"; name one of them with \"library\"\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `a dropped-in library whose slice is taken is reported and takes no part`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "lift": { "state": "/probe" } }] }"#,
            libraries: ["CounterPlugin"])
        try scene.addLibrary("ProbePlugin")
        let outcome = try scene.run(input: #"{"type":"probe/ping","payload":{"number":1}}"#)
        #expect(
            outcome.errorLines == [
                "gatehouse: warning: ./plugins/libProbePlugin.so: refused for the instance probe: the slice /probe overlaps the slice /probe of counter; give one of them another \"lift\"/\"state\"",
                "gatehouse: 1 line, 1 action, 0 rejected, 1 of 1 type unheard: probe/ping",
            ])
        #expect(outcome.output == "{\n  \"probe\": {\n    \"count\": 0\n  }\n}\n")
    }
}
