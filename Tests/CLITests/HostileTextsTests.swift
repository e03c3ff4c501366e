// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// No text that a stranger can choose moves the terminal of whoever looks at it, turns a line around, or makes a line of its own.
@Suite(.timeLimit(.minutes(10))) struct HostileTextsTests {
    /// A title, a cleared screen, the same in one byte, a line that runs backwards, two line ends of Unicode, and a forged line.
    private static let hostile =
        "a\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}2J\u{202E}txt\u{2066}\u{2028}\u{2029}\u{85}\r\u{7F}\nFORGED"

    /// The same as a program writes it in JSON that nobody is meant to look at.
    private static let raw = Self.hostile.replacing("\u{1B}", with: "\\u001b").replacing(
        "\u{7}", with: "\\u0007"
    )
    .replacing("\r", with: "\\r").replacing("\n", with: "\\n")

    /// Looks at all that a command has printed.
    private func expectHarmless(_ outcome: ChildProcess.Outcome, _ command: [String]) {
        for (text, name) in [(outcome.output, "output"), (outcome.errors, "errors")] {
            let found = text.unicodeScalars.filter { scalar in
                switch scalar.value {
                case 0x0A: false
                case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
                default: false
                }
            }
            #expect(found.isEmpty, "\(command): \(name): \(found.map { String($0.value, radix: 16) })")
            #expect(
                !text.split(separator: "\n").contains { $0.drop { $0 == " " }.hasPrefix("FORGED") },
                "\(command): \(name): a line is forged")
        }
    }

    /// Runs a command in a scene.
    private func run(_ scene: Scene, _ command: [String], input: String = "") throws {
        let outcome = try ChildProcess.run(
            arguments: command, input: Array(input.utf8), in: scene.folder.path,
            environment: scene.environment)
        expectHarmless(outcome, command)
    }

    /// Actions with the text in each place, and lines that are none.
    private var actions: String {
        """
        {"type":"\(Self.raw)","payload":"\(Self.raw)","meta":{"\(Self.raw)":"\(Self.raw)"}}
        {"type":"eu/increment","payload":{"\(Self.raw)":"\(Self.raw)"}}
        {"type":"eu/increment","payload":"\(Self.raw)"}
        {"type":"host/state/merge","payload":{"\(Self.raw)":"\(Self.raw)"}}
        {"\(Self.raw)":1}
        \(Self.hostile.replacing("\n", with: ""))
        {"type":"crash-reports/added","error":true,"payload":"\(Self.raw)"}

        """
    }

    /// A configuration with the text wherever it takes any.
    private func configuration(_ members: String) -> String {
        """
        { "name": "shop", "discovery": "ignore", "ingress": { "allow": ["*", "host/*"] }, \(members)
          "state": { "\(Self.raw)": "\(Self.raw)" },
          "plugins": [
            { "id": "eu", "library": "libCounterPlugin.so", "lift": { "state": "/orders/eu" } },
            { "id": "us", "library": "libCounterPlugin.so", "gate": { "state": "/\(Self.raw)" },
              "lift": { "input": { "\(Self.raw)": "increment" }, "state": "/us\(Self.raw)" } },
            { "id": "log", "library": "libLoggerPlugin.so", "settings": { "payload": true } } ] }
        """
    }

    // MARK: - Commands

    @Test func `a run prints nothing that a terminal obeys`() throws {
        let scene = try Scene(configuration(""), libraries: ["CounterPlugin", "LoggerPlugin"])
        for print in ["actions", "state"] {
            try run(scene, ["run", "--print", print], input: actions)
        }
        try scene.folder.write(actions, to: "in\u{1B}[2J.ndjson")
        try run(scene, ["run", "--input", "in\u{1B}[2J.ndjson"])
        try run(scene, ["run", "--input", "missing\(Self.hostile)"])
        try run(scene, ["run", "--\(Self.hostile)"])
        try run(scene, [Self.hostile])
        try run(scene, ["help", Self.hostile])
    }

    @Test func `planning prints nothing that a terminal obeys`() throws {
        let scene = try Scene(configuration(""), libraries: ["CounterPlugin", "LoggerPlugin"])
        let name = "lib\(Self.hostile.replacing("/", with: "")).so"
        try scene.folder.copyLibrary("CounterPlugin", as: name)
        try scene.folder.write("no library", to: "plugins/" + name)
        try scene.folder.write(
            #"{ "cases": [ { "name": "\#(Self.raw)", "actions": [{ "type": "\#(Self.raw)", "payload": "\#(Self.raw)" }], "expect": [{ "state": { "\#(Self.raw)": "\#(Self.raw)" } }] } ] }"#,
            to: "plugins.test.json")
        for command in ["check", "list", "plan", "test"] {
            try run(scene, [command])
            try run(scene, [command, "--json"])
        }
        try run(scene, ["plan", "--graph"])
        try run(scene, ["plan", Self.hostile])
        for file in [name, "plugins/" + name, "missing" + Self.hostile] {
            try run(scene, ["inspect", file])
            try run(scene, ["inspect", "--json", file])
        }
        try run(scene, ["validate", "plugins/" + name])
        try run(scene, ["validate", "--only", Self.hostile, name])
        try run(scene, ["new", Self.hostile])
        try run(scene, ["sdk"])
        try run(scene, ["version"])
        try scene.folder.write(
            #"{ "\#(Self.raw)": 1, "name": "\#(Self.raw)", "plugins": [{ "id": "\#(Self.raw)" }, { "id": "eu", "library": "\#(Self.raw)", "settings": { "\#(Self.raw)": 1 }, "gate": "\#(Self.raw)" }] }"#,
            to: "plugins.json")
        for command in ["check", "list", "plan", "test", "run"] { try run(scene, [command]) }
    }

    @Test func `looking back prints nothing that a terminal obeys`() throws {
        let scene = try Scene(
            configuration(#""journal": { "directory": "journal" }, "#),
            libraries: ["CounterPlugin", "LoggerPlugin"])
        try run(scene, ["run"], input: actions)
        for options in [[], ["--payload"], ["--tree", "--payload"], ["--json"], ["--causes", "1"]]
            as [[String]]
        {
            try run(scene, ["history"] + options)
        }
        try run(scene, ["history", "--type", Self.hostile])
        try run(scene, ["state", "--at", "3"])
        try run(scene, ["state", "--at", "3", Self.hostile])
        try scene.folder.write(
            configuration(#""journal": { "directory": "journal" }, "#).replacing(
                "/orders/eu", with: "/orders/\(Self.raw)"),
            to: "other.json")
        try run(scene, ["replay"])
        try run(scene, ["replay", "--json"])
        try run(scene, ["replay", "--config", "other.json"])
        let copy = "copy\(Self.hostile)"
        try run(scene, ["backup", copy])
        try run(scene, ["backup", copy])
        try run(scene, ["restore", copy])
        try run(scene, ["restore", "missing" + Self.hostile])
    }

    @Test func `a running host has nothing for a terminal to obey`() throws {
        let scene = try Scene(
            configuration(#""control": true, "#), libraries: ["CounterPlugin", "LoggerPlugin"])
        let host = try scene.start()
        try host.waitForErrors("gatehouse: shop can be controlled at ")
        let watcher = try ChildProcess(
            BuiltProducts.program, ["ctl", "watch", "--state", "/" + Self.hostile], in: scene.folder.path,
            environment: scene.environment)
        try watcher.waitForErrors("watching")
        host.write(actions)
        try run(scene, ["ctl", "dispatch", Self.hostile, #""\#(Self.raw)""#])
        try run(scene, ["ctl", "dispatch", #"{"type":"eu/increment","payload":"\#(Self.raw)"}"#])
        try run(scene, ["ctl", "dispatch", "-"], input: actions)
        try run(scene, ["ctl", "dispatch", "a", Self.hostile])
        for command in [
            ["status"], ["plan"], ["state"], ["state", "/host"], ["dead-letters"],
            ["dead-letters", "--show", "1"],
            ["top", "--once"], ["hosts"], ["reload"], ["open", Self.hostile], ["release", Self.hostile],
            ["state", "/" + Self.hostile], ["redispatch", "--all"], ["discard", "--all"],
        ] {
            try run(scene, ["ctl"] + command)
            try run(scene, ["ctl"] + command + ["--json"])
        }
        try run(scene, ["ctl", "metrics"])
        try run(scene, ["ctl", "--name", Self.hostile, "status"])
        host.closeInput()
        expectHarmless(try host.finish(), ["run"])
        expectHarmless(try watcher.finish(), ["ctl", "watch"])
    }

    @Test func `an argument that is not UTF-8 is shown as its bytes, and refused`() throws {
        let outcome = try ChildProcess.run(
            "/bin/bash", arguments: ["-c", #"exec "$0" inspect $'b\xE4d.so'"#, BuiltProducts.program])
        #expect(
            outcome.errors
                == #"gatehouse: expected arguments in UTF-8, found b\xE4d.so; rename the file, or link to it"#
                + "\n")
        #expect(outcome.exitCode == 64)
    }
}
