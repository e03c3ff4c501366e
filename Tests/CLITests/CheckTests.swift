// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// `gatehouse check`, on the built program.
@Suite(.timeLimit(.minutes(10))) struct CheckTests {
    @Test func `what would start is told in one line on standard error, with 0`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "a", "library": "libCounterPlugin.so" }, { "id": "b", "library": "libCounterPlugin.so" }] }"#,
            libraries: ["CounterPlugin", "ProbePlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errors
                == "gatehouse: plugins.json: OK (3 instances, 2 libraries)\ngatehouse: a run ends when its input does\n"
        )
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 0)
    }

    @Test func `secrets that are missing, empty, short, or readable by all are warned of`() throws {
        let scene = try Scene(
            """
            { "plugins": [
              { "id": "http", "settings": { "tokenFile": "token", "hooks": {
                "github": { "secretFiles": ["open", "good"] } } } },
              { "id": "http-client", "settings": { "secrets": { "key": "/nowhere/key", "one": "empty" } } } ] }
            """, libraries: ["HTTPPlugin", "HTTPClientPlugin"])
        for (name, text, mode) in [("open", "x", 0o644), ("good", "abcd", 0o600), ("empty", "", 0o600)] {
            try FileSystem.write(Array(text.utf8), to: scene.folder(name), mode: UInt32(mode))
        }
        let outcome = try scene.call("check")
        #expect(
            outcome.errorLines == [
                #"plugins.json:2:46: warning: /plugins/0/settings/tokenFile: there is no secret "token" in this folder, nor in $CREDENTIALS_DIRECTORY; write it there, or give it to the service as a credential"#,
                #"plugins.json:3:33: warning: /plugins/0/settings/hooks/github/secretFiles/0: the secret "open" is refused: others may read or write it; take that from them with chmod 600"#,
                #"plugins.json:3:41: warning: /plugins/0/settings/hooks/github/secretFiles/1: the secret "good" has 4 bytes, which can be guessed; write one of 8 or more there, such as openssl rand -hex 16 prints"#,
                #"plugins.json:4:60: warning: /plugins/1/settings/secrets/key: there is no secret "/nowhere/key"; write it there"#,
                #"plugins.json:4:83: warning: /plugins/1/settings/secrets/one: the secret "empty" is refused: expected a secret, found an empty or blank file; write one there"#,
                "gatehouse: plugins.json: OK (2 instances, 2 libraries, 5 warnings)",
                "gatehouse: http listens at 127.0.0.1:8080: a run continues until it is asked to end",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `libraries that take part with an entry alone are counted`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin", "RulesPlugin"])
        #expect(
            try scene.call("check").errors
                == "gatehouse: plugins.json: OK (1 instance, 1 library, 1 library only with an entry)\ngatehouse: a run ends when its input does\n"
        )
        #expect(
            try scene.call("list").output.contains(
                "no entry names it, and its plugin.json says \"discovery\": \"never\""))
    }

    @Test func `rules that answer themselves by name through a pattern are warned of`() throws {
        let scene = try Scene(
            """
            { "plugins": [{ "id": "rules", "settings": { "rules": [
              { "when": "a/*", "emit": "a/b" }, { "when": "a/*", "emit": "a/c" }] } }] }
            """, libraries: ["RulesPlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errors == """
                plugins.json:2:3: warning: /plugins/0/settings/rules/0: its actions may go round in a circle: rules /rules/0 emits a/b, heard by itself; one that never ends is cut after 1000 outputs in a row, or 10000 altogether
                gatehouse: plugins.json: OK (1 instance, 1 library, 1 warning)
                gatehouse: a run ends when its input does

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test
    func `a lift that keeps a plugin from hearing itself, and one that makes one name of two, are warned of`()
        throws
    {
        let scene = try Scene(
            """
            { "plugins": [
              { "id": "probe", "lift": { "input": "tests/" } },
              { "id": "more", "library": "libProbePlugin.so",
                "lift": { "output": { "pong": "app/done",
                                      "drop": "app/done" } } } ] }
            """, libraries: ["ProbePlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errorLines == [
                #"plugins.json:2:28: warning: /plugins/0/lift: the plugin probe both emits and consumes "echoed", "spin", "drop", but with this lift it does not hear its own; give them the same names in "input" and "output""#,
                #"plugins.json:4:13: warning: /plugins/1/lift: the plugin probe both emits and consumes "drop", but with this lift it does not hear its own; give them the same names in "input" and "output""#,
                #"plugins.json:5:35: warning: /plugins/1/lift/output/drop: "pong" and "drop" both become "app/done", so that nobody can tell which of them it was; give each a name of its own"#,
                "gatehouse: plugins.json: OK (2 instances, 1 library, 3 warnings)",
                "gatehouse: a run ends when its input does",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `a configuration without end or without a writer ends with 78, and soon`() throws {
        let scene = try Scene("{}")
        try FileSystem.makePipe(scene.folder("pipe"))
        #expect(
            try scene.call("check", "--config", "/dev/zero").errors
                == "gatehouse: /dev/zero: it has more than 67108864 bytes, and no more are read; name the configuration with --config\n"
        )
        let outcome = try scene.call("check", "--config", "pipe")
        #expect(outcome.errors == "pipe:1:1: expected a value, found nothing but white space\n")
        #expect(outcome.exitCode == 78)
    }

    @Test func `a configuration of 100 megabytes is told as too large, with the limit`() throws {
        let scene = try Scene("{}")
        try FileSystem.setSize(100 << 20, of: scene.folder("plugins.json"))
        let outcome = try scene.call("check")
        #expect(
            outcome.errors
                == "gatehouse: plugins.json: it has more than 67108864 bytes, and no more are read; name the configuration with --config\n"
        )
        #expect(outcome.exitCode == 78)
    }

    @Test func `comments may stand in a configuration`() throws {
        let scene = try Scene(
            """
            // The shop.
            { "plugins": [ /* one, */ { "id": "counter" } ], // and no other
              "discovery": "ignore" /**/ } /* end
            */
            """, libraries: ["CounterPlugin"])
        #expect(
            try scene.call("check").errors
                == "gatehouse: plugins.json: OK (1 instance, 1 library)\ngatehouse: a run ends when its input does\n"
        )
    }

    @Test func `a comment without end is told where it begins`() throws {
        let outcome = try Scene("{ \"plugins\": []\n  /* the rest }\n").call("check")
        #expect(
            outcome.errors
                == "plugins.json:2:3: expected a closing '*/' for the comment that starts here, found none\n")
        #expect(outcome.exitCode == 78)
    }

    @Test func `input lines have no comments`() throws {
        #expect(
            try Scene("{}").run(input: "{} // x\n").errorLines.first
                == "standard input:1:4: expected the end of the text, found '/'")
    }

    @Test func `a configuration may come through a pipe`() throws {
        let scene = try Scene("{}")
        let words = [
            "-c", "echo '{ \"discovery\": 1 }' | \(BuiltProducts.program) check --config /dev/stdin",
        ]
        #expect(
            try ChildProcess.run("/bin/sh", arguments: words, in: scene.folder.path).errors
                == #"/dev/stdin:1:1: /directory: /dev/plugins: there is no such file or folder; name the folder that holds the plugin libraries"#
                + "\n"
                + #"/dev/stdin:1:16: /discovery: expected "activate", "list" or "ignore", found 1; choose one of them"#
                + "\n")
    }

    @Test func `more libraries than the usual limit of open files are judged`() throws {
        let scene = try Scene("{}")
        for number in 0..<80 { try scene.folder.write("no library", to: "plugins/lib\(number).so") }
        let words = ["-c", "ulimit -S -n 64; exec \(BuiltProducts.program) check"]
        let outcome = try ChildProcess.run("/bin/sh", arguments: words, in: scene.folder.path)
        #expect(outcome.errorLines.count == 81)
        #expect(!outcome.errors.contains("Too many open files"))
        #expect(outcome.exitCode == 69)
    }

    @Test func `warnings are listed and counted, and keep nothing from starting`() throws {
        let scene = try Scene(
            """
            { "ingress": { "allow": ["host/gaet/*", "*"] },
              "plugins": [{ "id": "counter", "lift": { "state": "/probe" } }] }
            """, libraries: ["CounterPlugin", "ProbePlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errorLines == [
                #"plugins.json:1:26: warning: /ingress/allow/0: there is no host action "host/gaet/*"; did you mean "host/gate/*"?"#,
                #"gatehouse: warning: ./plugins/libProbePlugin.so: refused for the instance probe: the slice /probe overlaps the slice /probe of counter; give one of them another "lift"/"state""#,
                "gatehouse: plugins.json: OK (1 instance, 1 library, 2 warnings)",
                "gatehouse: a run ends when its input does",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `run shows the same warnings`() throws {
        let scene = try Scene(#"{ "ingress": { "allow": ["host/x", "*"] } }"#)
        #expect(
            try scene.run().errorLines == [
                #"plugins.json:1:26: warning: /ingress/allow/0: there is no host action "host/x"; the host has "host/gate/open", "host/gate/close", "host/state/merge", "host/reload""#,
                "gatehouse: 0 lines, 0 actions, 0 rejected",
            ])
    }

    @Test(arguments: [
        (
            #"{ "plugins": [{ "id": "countr" }] }"#,
            #"plugins.json:1:23: /plugins/0/id: no library in ./plugins declares the plugin id "countr"; did you mean "counter"?"#,
            Int32(78)
        ),
        (
            #"{ "plugins": [{ "id": "counter", "settings": { "step": 1.5 } }] }"#,
            "plugins.json:1:56: /plugins/0/settings/step: expected an integer, found 1.5; correct it", 78
        ),
        (
            #"{ "plugins": [{ "id": "x", "library": "libBad.so" }] }"#,
            "./plugins/libBad.so: refused for the instance x: expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux",
            69
        ),
    ])
    func `what keeps the host from starting is told as run tells it`(
        configuration: String, message: String, code: Int32
    ) throws {
        let scene = try Scene(configuration, libraries: ["CounterPlugin"])
        if configuration.contains("libBad") { try scene.folder.write("no library", to: "plugins/libBad.so") }
        let check = try scene.call("check")
        #expect(check.errors == message + "\n")
        #expect(check.output == "")
        #expect(check.exitCode == code)
        let run = try scene.run()
        #expect(run.errors == check.errors)
        #expect(run.exitCode == check.exitCode)
    }

    @Test func `as JSON everything is one object, also what is wrong`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "countr" }, { "id": "x", "library": "libBad.so" }] }"#,
            libraries: ["CounterPlugin"])
        try scene.folder.write("no library", to: "plugins/libBad.so")
        let outcome = try ChildProcess.run(
            arguments: ["check", "--json"], in: scene.folder.path,
            environment: scene.environment.merging(["GATEHOUSE_CONFINEMENT": "2"]) { $1 })
        // What limits workers depends on where the tests run.
        #expect(
            outcome.output.replacing(/"workers": \{[^}]+\}/, with: #""workers": {}"#) == """
                {
                  "ok": false,
                  "instances": 1,
                  "libraries": 1,
                  "problems": [
                    {
                      "file": "plugins.json",
                      "line": 1,
                      "column": 23,
                      "pointer": "/plugins/0/id",
                      "severity": "error",
                      "message": "no library in ./plugins declares the plugin id \\"countr\\"; did you mean \\"counter\\"?"
                    }
                  ],
                  "refusals": [
                    {
                      "library": "./plugins/libBad.so",
                      "instance": "x",
                      "reasons": [
                        "expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux"
                      ]
                    }
                  ],
                  "warnings": [],
                  "children": {
                    "confined": true,
                    "landlock": 2
                  },
                  "workers": {}
                }

                """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 78)
    }

    @Test(arguments: [
        ("off", "not confined, because GATEHOUSE_CONFINEMENT is off"),
        ("1", "refused, because GATEHOUSE_CONFINEMENT is neither off nor a version of Landlock from 2 on"),
    ])
    func `children that are not confined are told`(setting: String, reason: String) throws {
        let scene = try Scene.counter()
        let outcome = try ChildProcess.run(
            arguments: ["check"], in: scene.folder.path,
            environment: scene.environment.merging(["GATEHOUSE_CONFINEMENT": setting]) { $1 })
        #expect(outcome.errors.hasSuffix("does\ngatehouse: children: \(reason)\n"), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `strictness refuses what its group may write to`() throws {
        let scene = try Scene.counter()
        try FileSystem.setMode(0o664, of: scene.folder("plugins/libCounterPlugin.so"))
        #expect(try scene.call("check").exitCode == 0)
        #expect(try scene.call("check", "--strict").exitCode == 69)
    }

    @Test(arguments: ["check", "list", "plan"])
    func `a configuration that is not there ends with 78`(command: String) throws {
        let outcome = try Scene("{}").call(command, "--config", "other.json")
        #expect(
            outcome.errors
                == "gatehouse: other.json: No such file or directory; name the configuration with --config\n")
        #expect(outcome.exitCode == 78)
    }

    @Test(arguments: [
        ["check"], ["list"], ["list", "--json"], ["plan"], ["plan", "--graph"], ["check", "--json"],
    ])
    func `nothing is loaded, so that no code of a plugin runs`(arguments: [String]) throws {
        let scene = try Scene.counter()
        // The loader tells which files it opens.
        let run = try scene.traced("run")
        let image = "calling init: \(scene.folder("cache"))/images/"
        #expect(run.errors.contains(image))
        let outcome = try scene.traced(arguments)
        #expect(outcome.errors.contains("calling init: "))
        #expect(!outcome.errors.contains(image) && !outcome.errors.contains("calling init: /proc/self/fd/"))
        #expect(outcome.exitCode == 0)
    }
}
