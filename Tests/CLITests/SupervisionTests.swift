// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What a supervisor does with the host that it has started.
@Suite(.timeLimit(.minutes(10))) struct SupervisionTests {
    /// A scene with a plugin that ends the host as actions say, under rules without pauses.
    private func scene(_ rules: String = "", _ members: String = "") throws -> Scene {
        try Scene(
            #"{ "supervise": { "pause": 0\#(rules) }, \#(members)"plugins": [{ "id": "fatal" }] }"#,
            libraries: ["FatalPlugin"])
    }

    /// An action that ends the host.
    private func act(_ place: String, _ deed: String) -> String {
        #"{"type":"fatal/act","payload":{"place":"\#(place)","deed":"\#(deed)"}}"# + "\n"
    }

    private let pass = #"{"type":"fatal/pass"}"# + "\n"

    /// What a supervisor and its hosts say, without backtraces and numbers of processes.
    private func lines(_ outcome: ChildProcess.Outcome) -> [String] {
        outcome.errorLines.filter { $0.hasPrefix("gatehouse: ") || $0.hasPrefix("in.ndjson:") }.map {
            $0.replacing(/process \d+/, with: "process N").replacing(/CFatal\.c:\d+/, with: "CFatal.c:N")
        }
    }

    // MARK: - Exit codes and signals

    @Test func `a host that ends by itself ends its supervisor with its exit code and its output`() throws {
        let scene = try scene()
        let good = try scene.run(["--supervise", "--print", "actions"], input: pass)
        #expect(good.exitCode == 0)
        #expect(good.output == pass)
        #expect(good.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(try scene.run(["--supervise", "--strict"], input: "?\n").exitCode == 65)
        #expect(try scene.run(["--supervise", "--input", "nothing"]).exitCode == 64)
        try scene.folder.write("{", to: "plugins.json")
        #expect(try scene.run(["--supervise"], input: pass).exitCode == 78)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal reaches the host, and its end is the end of both`(signal: Int32) throws {
        let host = try LiveHost(try scene(), ["--supervise", "--print", "none"])
        host.send("fatal/pass")
        try host.settle()
        host.child.signal(signal)
        let outcome = try host.child.finish()
        #expect(outcome.exitCode == 0)
        #expect(
            lines(outcome) == [
                "gatehouse: signal \(signal): no more input is read; a second signal ends at once",
                "gatehouse: 3 lines, 1 action, 2 rejected, ended early by signal \(signal)",
            ])
    }

    @Test func `SIGHUP has the host read its configuration again`() throws {
        let host = try LiveHost(try scene(), ["--supervise"])
        host.send("fatal/pass")
        try host.reload(expecting: "nothing has changed")
        #expect(try host.finish().exitCode == 0)
    }

    // MARK: - Crashes

    @Test func `a host that a plugin has ended is started again, and goes on with what comes`() throws {
        let host = try LiveHost(try scene(), ["--supervise", "--print", "none"])
        host.child.write(act("handle", "trap"))
        try host.child.waitForErrors("it is restarted")
        host.child.write(pass + "next\n")
        try host.child.waitForErrors("found next")
        host.child.closeInput()
        let outcome = try host.child.finish()
        #expect(outcome.exitCode == 0)
        #expect(
            lines(outcome) == [
                "gatehouse: the plugin fatal died by SIGILL in its middleware (CFatal.c:N), with the action fatal/act (number 1, from standard input:2); the process ends",
                "gatehouse: the host (process N) died by SIGILL; it is restarted",
                "gatehouse: 2 lines, 1 action, 1 rejected",
            ])
    }

    @Test func `the pause before a start is told`() throws {
        let scene = try Scene(
            #"{ "supervise": { "pause": 1 }, "plugins": [{ "id": "fatal" }] }"#, libraries: ["FatalPlugin"])
        let outcome = try scene.run(["--supervise", "--print", "none"], input: act("handle", "trap"))
        #expect(
            lines(outcome).dropFirst().first
                == "gatehouse: the host (process N) died by SIGILL; it is restarted in 1 s")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a line that ends the host twice is skipped, and all others are processed`() throws {
        let scene = try scene()
        try scene.folder.write(pass + act("reduce", "trap") + pass, to: "in.ndjson")
        let outcome = try scene.run(["--supervise", "--input", "in.ndjson"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.filter { !$0.isWhitespace } == #"{"fatal":{"heard":2,"last":""}}"#)
        let died =
            "the plugin fatal died by SIGILL in its reducer, with the action fatal/act (number 2, from in.ndjson:2)"
        let aside = "it has ended the host 2 times, the last time when \(died)"
        let line = died.replacing("its reducer", with: "its reducer (CFatal.c:N)")
        #expect(
            lines(outcome) == [
                "gatehouse: \(line); the process ends",
                "gatehouse: the host (process N) died by SIGILL; it is restarted",
                "gatehouse: \(line); the process ends",
                "gatehouse: the input in.ndjson:2 is set aside: \(aside)",
                "gatehouse: the host (process N) died by SIGILL; it is restarted",
                "in.ndjson:2: fatal/act is set aside: \(aside)",
                "gatehouse: 3 lines, 2 actions, 0 rejected",
            ])
    }

    @Test func `a kill from outside is told, and counts against nobody`() throws {
        let scene = try scene(#", "crashes": 1, "deaths": 1"#)
        let child = try scene.start(["--supervise", "--print", "none"])
        child.write(act("handle", "kill"))
        try child.waitForErrors("it is restarted")
        child.closeInput()
        let outcome = try child.finish()
        #expect(
            lines(outcome) == [
                "gatehouse: the host ended when the plugin fatal was in its middleware, with the action fatal/act (number 1, from standard input:1)",
                "gatehouse: the host (process N) died by SIGKILL, which another process or a plugin sent; it is restarted",
                "gatehouse: 0 lines, 0 actions, 0 rejected",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `kills from outside are counted, because no rule brings them to an end`() throws {
        let scene = try scene(#", "crashes": 1, "deaths": 1"#)
        let child = try scene.start(["--supervise", "--print", "none"])
        for number in 1...3 {
            child.write(act("handle", "kill"))
            try child.waitForErrors(
                number == 1
                    ? "which another process or a plugin sent; it is restarted"
                    : "(the last \(number) such deaths were within 10 min); it is restarted")
        }
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)
        #expect(!outcome.errors.contains("is in quarantine") && !outcome.errors.contains("is set aside"))
    }

    @Test func `what no handler can tell is found in the flight recorder alone`() throws {
        let scene = try scene(#", "crashes": 2, "deaths": 2"#)
        try scene.folder.write(pass + act("task", "awaited-unheard") + pass, to: "in.ndjson")
        let child = try scene.start(["--supervise", "--input", "in.ndjson", "--print", "actions"])
        for death in 1...2 {
            // The drain has finished the last action, so the effect alone has something to do.
            let finished = 2 * death
            _ = try child.waitForOutput { $0.split(separator: "\n").count { $0 + "\n" == pass } == finished }
            try scene.folder.write("", to: "armed")
        }
        let outcome = try child.finish()
        let what =
            "the plugin fatal was in an effect, begun by the action fatal/act (number 2, from in.ndjson:2)"
        #expect(outcome.exitCode == 0)
        #expect(
            lines(outcome).filter { !$0.contains("lines, ") } == [
                "gatehouse: the host died by SIGILL and left no details, when \(what)",
                "gatehouse: the host (process N) died by SIGILL; it is restarted",
                "gatehouse: the host died by SIGILL and left no details, when \(what)",
                "gatehouse: the input in.ndjson:2 is set aside: it has ended the host 2 times, the last time when \(what)",
                "gatehouse: the plugin fatal is in quarantine: it has ended the host 2 times within 10 min, the last time by SIGILL; it is not loaded until gatehouse ctl release fatal lets it out, or another library comes",
                "gatehouse: the host (process N) died by SIGILL; it is restarted",
                "gatehouse: warning: fatal: it is not loaded, because fatal is in quarantine: it has ended the host 2 times within 10 min, the last time by SIGILL; let it out with gatehouse ctl release fatal, or bring another library",
                "in.ndjson:2: fatal/act is set aside: it has ended the host 2 times, the last time when \(what)",
            ])
    }

    @Test func `an effect that overflows its stack is found by its handler`() throws {
        let scene = try scene(#", "deaths": 2"#)
        try scene.folder.write(pass + act("task", "overflow") + pass, to: "in.ndjson")
        let outcome = try scene.run(["--supervise", "--input", "in.ndjson"])
        #expect(outcome.exitCode == 0)
        #expect(
            lines(outcome).first?.replacing(/0x[0-9a-f]+/, with: "0xN")
                == "gatehouse: the plugin fatal died by SIGSEGV at 0xN in an effect (CFatal.c:N), begun by the action fatal/act (number 2, from in.ndjson:2); the process ends"
        )
        #expect(
            lines(outcome).contains { $0.hasPrefix("gatehouse: the input in.ndjson:2 is set aside: ") })
    }

    @Test func `a supervisor whose words nobody reads starts the host again, and passes signals on`() throws {
        let child = try scene().start(["--supervise"])
        child.narrowErrors()
        let path = "/proc/\(child.identifier)/task/\(child.identifier)/children"
        // A page holds what is said of 15 of them.
        var hosts: Set<String> = []
        let end = ContinuousClock.now + .seconds(240)
        while hosts.count < 40, ContinuousClock.now < end {
            let bytes = try FileSystem.read(path)
            // Killed before they have said a word of their own.
            for host in String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
            where hosts.insert(host).inserted { kill(try #require(Int32(host)), SIGKILL) }
            sched_yield()
        }
        #expect(hosts.count >= 40)
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.exitCode != nil)
        #expect(outcome.errors.contains("(the last 30 such deaths were within 10 min); it is restarted"))
    }

    @Test func `what is known of crashes lies where data lie`() throws {
        let scene = try scene(#", "deaths": 100"#)
        _ = try scene.folder.makeFolder("state")
        let outcome = try ChildProcess.run(
            arguments: ["run", "--supervise", "--print", "none"], input: Array(act("handle", "trap").utf8),
            in: scene.folder.path,
            environment: scene.environment.merging(["STATE_DIRECTORY": scene.folder("state")]) { $1 })
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(try scene.folder.read("state/data/host/crashes.json").contains(#""cause":"SIGILL""#))
        #expect(!FileSystem.exists(scene.folder("data")))
    }

    @Test func `a host in which a plugin hangs is told, then ended and started again`() throws {
        let scene = try scene(#", "hang": 1"#)
        let child = try scene.start(["--supervise", "--watchdog", "0.2", "--print", "none"])
        child.write(act("reduce", "loop"))
        try child.waitForErrors("it is restarted")
        child.closeInput()
        let outcome = try child.finish()
        let what =
            "the plugin fatal is in its reducer, with the action fatal/act (number 1, from standard input:1)"
        let said = lines(outcome).map { $0.replacing(/for [0-9.]+ s/, with: "for N s") }
        // The host says one of these and its supervisor the other, at about the same time.
        #expect(
            Set(said.prefix(2)) == [
                "gatehouse: \(what), and has not returned for N s; the host is waiting for it",
                "gatehouse: \(what), and has not returned for N s; the host is ended after 1 s",
            ])
        #expect(
            said.dropFirst(2) == [
                "gatehouse: \(what), and has not returned for N s; the host is ended",
                "gatehouse: the process died by SIGABRT, which another process sent, when the plugin fatal was in its reducer, with the action fatal/act (number 1, from standard input:1); the process ends",
                "gatehouse: the host (process N) died by SIGABRT, because it hung; it is restarted",
                "gatehouse: 0 lines, 0 actions, 0 rejected",
            ])
        let ledger = try scene.folder.read("data/host/crashes.json")
        #expect(ledger.contains(#""cause":"hung","account":{"#))
    }

    // MARK: - Quarantine

    @Test func `a plugin that crashes too often stands, whatever its gate, until it is released`() throws {
        let scene = try scene(
            #", "crashes": 2, "deaths": 100"#,
            #""name": "guarded", "ingress": { "listen": ["unix:in.sock?ack"] }, "#)
        let child = try scene.start(["--supervise", "--print", "none"])
        try child.waitForErrors("can be controlled at")
        for _ in 0..<2 {
            let writer = try LocalConnection(scene.folder("in.sock"))
            writer.write(pass)
            #expect(writer.readLine() == #"{"ok":1}"#)
            writer.write(act("handle", "trap"))
            #expect(writer.readLine() == nil)
        }
        // The socket is the supervisor's, so this one only waits.
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(act("handle", "trap"))
        #expect(writer.readLine() == #"{"ok":1}"#)
        let reason = "it has ended the host 2 times within 10 min, the last time by SIGILL"
        #expect(
            try scene.call("ctl", "status").output.contains("fatal 1 missed, is in quarantine: \(reason)\n"))
        // Its gate decides about what it misses, and is no way around the quarantine.
        #expect(
            try scene.call("ctl", "close", "fatal").output
                == "fatal: the gate was active, and is bypass\n")
        writer.write(act("handle", "trap"))
        #expect(writer.readLine() == #"{"ok":2}"#)
        #expect(
            try scene.call("ctl", "open", "fatal").output
                == "fatal: the gate was bypass, and is active\n")
        writer.write(act("handle", "trap"))
        #expect(writer.readLine() == #"{"ok":3}"#)
        #expect(
            try scene.call("ctl", "state", "/host/instances/fatal/quarantine").output == "\"\(reason)\"\n")
        let unknown = try scene.call("ctl", "release", "other")
        #expect(
            unknown.errors
                == "gatehouse: expected an instance, a plugin or a digest in quarantine, found \"other\"; in quarantine are fatal\n"
        )
        #expect(unknown.exitCode == 64)
        let released = try scene.call("ctl", "release", "fatal")
        #expect(
            released.output
                == "fatal is out of quarantine; the configuration is reloaded\nfatal skips 2 that it missed in quarantine\n"
        )
        try child.waitForErrors("gatehouse: the plugin fatal is out of quarantine\n")
        try child.waitForErrors("generation 2")
        writer.write(act("handle", "trap"))
        #expect(writer.readLine() == nil)
        let last = try LocalConnection(scene.folder("in.sock"))
        last.write(pass)
        #expect(last.readLine() == #"{"ok":1}"#)
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)
        #expect(
            lines(outcome).contains(
                "gatehouse: warning: fatal: it is not loaded, because fatal is in quarantine: \(reason); let it out with gatehouse ctl release fatal, or bring another library"
            ))
    }

    @Test func `without a supervisor a service finds out what has ended the one before`() throws {
        let scene = try scene(
            #", "crashes": 1"#, #""name": "alone", "ingress": { "listen": ["unix:in.sock"] }, "#)
        let first = try scene.start(["--print", "none"])
        try first.waitForErrors("listening at")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(act("handle", "trap"))
        _ = try first.finish()
        let second = try scene.start(["--print", "none"])
        try second.waitForErrors("listening at")
        second.signal(SIGTERM)
        let outcome = try second.finish()
        #expect(
            lines(outcome).first
                == "gatehouse: the previous host (process N) has died: the plugin fatal died by SIGILL in its middleware, with the action fatal/act (number 1, from in.sock#1:1)"
        )
        #expect(
            lines(outcome).contains {
                $0.hasPrefix("gatehouse: the plugin fatal is in quarantine: it has ended the host once")
            })
        let third = try scene.start(["--print", "none"])
        try third.waitForErrors("listening at")
        third.signal(SIGTERM)
        #expect(try !third.finish().errors.contains("has died"))
    }
}
