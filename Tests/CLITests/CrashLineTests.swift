// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What is said when a plugin ends the process by a signal.
@Suite(.timeLimit(.minutes(10))) struct CrashLineTests {
    /// Runs an action after a harmless one, until the process dies; gives the line about that.
    private func line(
        _ place: String, _ deed: String, type: String = "fatal/act", entries: String = #"{ "id": "fatal" }"#,
        before: [String] = []
    ) throws -> String? {
        let scene = try Scene(#"{ "plugins": [\#(entries)] }"#, libraries: ["FatalPlugin", "CounterPlugin"])
        try scene.folder.write(
            (before + [#"{"type":"fatal/pass"}"#]).joined(separator: "\n") + "\n"
                + #"{"type":"\#(type)","payload":{"place":"\#(place)","deed":"\#(deed)"}}"# + "\n",
            to: "in.ndjson")
        let outcome = try scene.run(["--print", "none", "--input", "in.ndjson"])
        #expect(outcome.exitCode == nil, "\(outcome.errors)")
        return outcome.errorLines.first { $0.hasPrefix("gatehouse: ") }
    }

    /// Where `CFatal.c` does a deed, as the line says it.
    private func source(of deed: String) throws -> String {
        let code = [
            "trap": #""trap") == 0) { __builtin_trap"#, "abort": #""abort") == 0)"#,
            "segv": #""segv") == 0)"#,
            "divide": #""divide") == 0)"#,
        ][deed]
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let lines = try FileSystem.read("/\(tests)/Fixtures/CFatal/CFatal.c")
        let number = try #require(
            String(decoding: lines, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .firstIndex { $0.contains(code ?? "unknown") })
        return "(CFatal.c:\(number + 1))"
    }

    @Test(arguments: ["intercept", "behind"])
    func `an action that an interceptor decides about has no number yet`(place: String) throws {
        #expect(
            try line(place, "trap")
                == "gatehouse: the plugin fatal died by SIGILL in its interceptor \(source(of: "trap")), with the action fatal/act (from in.ndjson:2); the process ends"
        )
    }

    @Test(arguments: [
        ("handle", "in its middleware"),
        ("reduce", "in its reducer"), ("answer", "in what its middleware answered"),
    ])
    func `a trap is told with plugin, step, action and the line that it came from`(
        place: String, words: String
    ) throws {
        #expect(
            try line(place, "trap")
                == "gatehouse: the plugin fatal died by SIGILL \(words) \(source(of: "trap")), with the action fatal/act (number 2, from in.ndjson:2); the process ends"
        )
    }

    @Test(arguments: [
        ("abort", "SIGABRT"), ("segv", "SIGSEGV at 0x10"), ("divide", "SIGFPE"),
    ])
    func `whatever the signal is, the line is the same`(deed: String, signal: String) throws {
        #expect(
            try line("handle", deed)
                == "gatehouse: the plugin fatal died by \(signal) in its middleware \(source(of: deed)), with the action fatal/act (number 2, from in.ndjson:2); the process ends"
        )
    }

    @Test func `what another action has led to goes back to its line`() throws {
        #expect(
            try line("reduce", "trap", type: "fatal/lead")
                == "gatehouse: the plugin fatal died by SIGILL in its reducer \(source(of: "trap")), with the action fatal/act (number 3, from in.ndjson:2); the process ends"
        )
    }

    @Test func `a stack that overflows in a reducer is told too`() throws {
        let line = try #require(try line("reduce", "overflow"))
        #expect(line.hasPrefix("gatehouse: the plugin fatal died by SIGSEGV at 0x"))
        #expect(
            line.hasSuffix(
                "), with the action fatal/act (number 2, from in.ndjson:2); the process ends"))
        #expect(line.contains(" in its reducer (CFatal.c:"))
    }

    @Test(arguments: ["trap", "abort", "segv"])
    func `an effect is known by its task`(deed: String) throws {
        let signal = ["trap": "SIGILL", "abort": "SIGABRT", "segv": "SIGSEGV at 0x10"][deed] ?? ""
        #expect(
            try line("task", deed, before: [lingering, lingering])
                == "gatehouse: the plugin fatal died by \(signal) in an effect \(source(of: deed)), begun by the action fatal/act (number 4, from in.ndjson:4); the process ends"
        )
    }

    @Test func `an effect whose stack overflows is told too`() throws {
        let line = try #require(try line("task", "overflow"))
        #expect(
            line.replacing(/0x[0-9a-f]+/, with: "0xN").replacing(/CFatal.c:[0-9]+/, with: "CFatal.c:N")
                == "gatehouse: the plugin fatal died by SIGSEGV at 0xN in an effect (CFatal.c:N), begun by the action fatal/act (number 2, from in.ndjson:2); the process ends"
        )
    }

    @Test(arguments: ["effect", "thread"], ["trap", "abort"])
    func `what an effect does elsewhere is known by the library among the frames, and by the only effect`(
        place: String, deed: String
    ) throws {
        let signal = ["trap": "SIGILL", "abort": "SIGABRT"][deed] ?? ""
        #expect(
            try line(place, deed)
                == "gatehouse: the plugin fatal died by \(signal) in an effect or on a thread of its own \(source(of: deed)); its only effect then was begun by the action fatal/act (number 2, from in.ndjson:2); the process ends"
        )
    }

    @Test func `of several effects none is named`() throws {
        #expect(
            try line("effect", "trap", before: [lingering])
                == "gatehouse: the plugin fatal died by SIGILL in an effect or on a thread of its own \(source(of: "trap")); it had 2 effects then; the process ends"
        )
    }

    @Test(arguments: ["trap", "abort"])
    func `a thread belongs to the instance that has made it`(deed: String) throws {
        let signal = ["trap": "SIGILL", "abort": "SIGABRT"][deed] ?? ""
        let line = try line(
            "own", deed, type: "other/act",
            entries: #"{ "id": "fatal" }, { "id": "other", "library": "libFatalPlugin.so" }"#,
            before: [lingering, lingering].map { $0.replacing("fatal/", with: "other/") })
        #expect(
            try line
                == "gatehouse: the plugin fatal (instance other) died by \(signal) on a thread of its own \(source(of: deed)); the process ends"
        )
    }

    /// An action whose effect does not end.
    private let lingering = #"{"type":"fatal/act","payload":{"place":"linger","deed":""}}"#

    @Test func `an instance is named where it has another name than its plugin`() throws {
        #expect(
            try line(
                "handle", "trap", type: "other/act",
                entries: #"{ "id": "counter" }, { "id": "other", "library": "libFatalPlugin.so" }"#)
                == "gatehouse: the plugin fatal (instance other) died by SIGILL in its middleware \(source(of: "trap")), with the action other/act (number 2, from in.ndjson:2); the process ends"
        )
    }

    @Test func `of several instances the one is named whose effect it was`() throws {
        #expect(
            try line(
                "effect", "trap", type: "other/act",
                entries: #"{ "id": "fatal" }, { "id": "other", "library": "libFatalPlugin.so" }"#)
                == "gatehouse: the plugin fatal (instance other) died by SIGILL in an effect or on a thread of its own \(source(of: "trap")); its only effect then was begun by the action other/act (number 2, from in.ndjson:2); the process ends"
        )
    }

    @Test func `at the start no action is in hand`() throws {
        #expect(
            try line(
                "handle", "pass", entries: #"{ "id": "fatal", "settings": { "start": "trap" } }"#)
                == "gatehouse: the plugin fatal died by SIGILL at its start \(source(of: "trap")); the process ends"
        )
    }

    @Test func `results that wait are written all the same`() throws {
        let scene = try Scene(#"{ "plugins": [{ "id": "fatal" }] }"#, libraries: ["FatalPlugin"])
        let outcome = try scene.run(
            ["--print", "actions"],
            input: #"{"type":"fatal/pass"}"# + "\n"
                + #"{"type":"fatal/act","payload":{"place":"handle","deed":"trap"}}"# + "\n")
        #expect(
            outcome.output == #"{"type":"fatal/pass"}"# + "\n"
                + #"{"type":"fatal/act","payload":{"place":"handle","deed":"trap"}}"# + "\n")
    }

    @Test
    func `a trap of Swift names the line of the plugin, and not that of the library in which it happened`()
        throws
    {
        let line = try #require(try line("swift", "index"))
        #expect(
            line.replacing(/swift:[0-9]+/, with: "swift:N")
                == "gatehouse: the plugin fatal died by SIGILL in its middleware (FatalPlugin.swift:N), with the action fatal/act (number 2, from in.ndjson:2); the process ends"
        )
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let source = String(
            decoding: try FileSystem.read("/\(tests)/Fixtures/Fatal/FatalPlugin.swift"), as: UTF8.self)
        let number = try #require(line.firstMatch(of: /swift:([0-9]+)/).flatMap { Int($0.1) })
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[number - 1].contains("numbers[numbers.count]"))
    }

    @Test func `a signal of another process is not said to come from the host`() throws {
        let child = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"]).child
        child.signal(11)
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.last { $0.hasPrefix("gatehouse: ") }
                == "gatehouse: the process died by SIGSEGV, which another process sent; the process ends"
        )
    }
}
