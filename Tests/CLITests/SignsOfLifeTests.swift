// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What a supervisor does with a host that lives no more, or ends without being asked to; BadPluginTests has more kinds.
@Suite(.timeLimit(.minutes(10))) struct SignsOfLifeTests {
    /// A scene with a plugin that does as actions say, under rules without pauses.
    private func scene(_ members: String = "", _ rules: String = #", "hang": 1"#) throws -> Scene {
        try Scene(
            #"{ "name": "shop", "supervise": { "pause": 0\#(rules) }, \#(members)"plugins": [{ "id": "fatal" }] }"#,
            libraries: ["FatalPlugin"])
    }

    /// An action that does something.
    private func act(_ place: String, _ deed: String) -> String {
        #"{"type":"fatal/act","payload":{"place":"\#(place)","deed":"\#(deed)"}}"# + "\n"
    }

    private let pass = #"{"type":"fatal/pass"}"# + "\n"

    /// The process that a supervisor has started last.
    private func host(of supervisor: ChildProcess) throws -> Int32 {
        let bytes = try FileSystem.read(
            "/proc/\(supervisor.identifier)/task/\(supervisor.identifier)/children")
        let last = String(decoding: bytes, as: UTF8.self).split(separator: " ").last
        return try #require(last.flatMap { Int32($0) })
    }

    @Test func `a child that a plugin forks does not keep whoever reads the results waiting`() throws {
        let scene = try scene()
        // The child lives for two minutes.
        let host = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "actions"], in: scene.folder.path, limit: .seconds(60),
            environment: scene.environment, keeping: scene.folder)
        host.write(act("handle", "fork") + pass)
        host.closeInput()
        let outcome = try host.finish()
        #expect(outcome.output == act("handle", "fork") + pass)
        #expect(outcome.exitCode == 0)
    }

    // MARK: - Long work

    @Test func `work that was announced to take long is waited for, and the time counts again after it`()
        throws
    {
        let scene = try scene()
        let child = try scene.start(["--supervise", "--print", "actions"])
        child.write(act("long", "awaited-trap"))
        // The same call without an announcement is ended after a second, as the next line is.
        let looks = try scene.start(["--supervise", "--print", "none"])
        looks.write(act("handle", "spin"))
        try looks.waitForErrors("; the host is ended")
        try scene.folder.write("", to: "armed")
        try child.waitForErrors("it is restarted")
        child.write(act("handle", "spin"))
        try child.waitForErrors("; the host is ended")
        for process in [looks, child] { process.closeInput() }
        _ = try looks.finish()
        let outcome = try child.finish()
        #expect(
            outcome.errorLines.prefix(2).map {
                $0.replacing(/process \d+/, with: "process N").replacing(/CFatal\.c:\d+/, with: "CFatal.c:N")
            } == [
                "gatehouse: the plugin fatal died by SIGILL in its middleware (CFatal.c:N), with the action fatal/act (number 1, from standard input:1); the process ends",
                "gatehouse: the host (process N) died by SIGILL; it is restarted",
            ])
    }

    // MARK: - Ends that nobody announced

    @Test(arguments: ["exit", "_exit", "quick_exit"])
    func `an exit that the host did not announce is a death, whatever its code`(deed: String) throws {
        let child = try scene().start(["--supervise", "--print", "none"])
        child.write(act("handle", deed))
        try child.waitForErrors("it is restarted")
        child.write(pass)
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)
        #expect(
            outcome.errorLines.map { $0.replacing(/process \d+/, with: "process N") } == [
                "gatehouse: the plugin fatal called exit(0) in its middleware, with the action fatal/act (number 1, from standard input:1); the process ends",
                "gatehouse: the host (process N) exited with code 70, and not by itself; it is restarted",
                "gatehouse: 1 line, 1 action, 0 rejected",
            ])
    }

    @Test func `an end past the C library is a death of whoever was at work`() throws {
        let child = try scene().start(["--supervise", "--print", "none"])
        child.write(act("reduce", "vanish"))
        try child.waitForErrors("it is restarted")
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)
        #expect(
            outcome.errorLines.map { $0.replacing(/process \d+/, with: "process N") } == [
                "gatehouse: something ended the host when the plugin fatal was in its reducer, with the action fatal/act (number 1, from standard input:1)",
                "gatehouse: the host (process N) exited with code 0, and not by itself; it is restarted",
                "gatehouse: 0 lines, 0 actions, 0 rejected",
            ])
    }

    @Test func `without a supervisor the next host finds out which plugin has called exit`() throws {
        let scene = try scene(#""ingress": { "listen": ["unix:in.sock"] }, "#)
        let first = try scene.start(["--control", "--print", "none"])
        try first.waitForErrors("listening at")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(act("handle", "_exit"))
        #expect(try first.finish().exitCode == 70)
        let second = try scene.start(["--control", "--print", "none"])
        try second.waitForErrors("listening at")
        second.signal(SIGTERM)
        let line = try second.finish().errorLines.first ?? ""
        #expect(
            line.replacing(/process \d+/, with: "process N")
                == "gatehouse: the previous host (process N) has died: the plugin fatal called exit(0) in its middleware, with the action fatal/act (number 1, from in.sock#1:1)"
        )
    }

    // MARK: - Signs of life

    /// Fails when the supervisor has ended a host meanwhile that listens at `in.sock`, or that does not answer; ends both.
    private func expectAlive(_ supervisor: ChildProcess, in scene: Scene) throws {
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(pass)
        #expect(writer.readLine() == #"{"ok":1}"#)
        supervisor.signal(SIGTERM)
        let outcome = try supervisor.finish()
        #expect(outcome.exitCode == 0)
        #expect(!outcome.errors.contains("the host is ended"), "\(outcome.errors)")
    }

    @Test func `a host that somebody has stopped is told of and waited for`() throws {
        let scene = try scene(#""ingress": { "listen": ["unix:in.sock?ack"] }, "#)
        let child = try scene.start(["--supervise", "--print", "none"])
        try child.waitForErrors("listening at")
        let host = try host(of: child)
        kill(host, SIGSTOP)
        try child.waitForErrors(
            "gatehouse: the host (process \(host)) is stopped; waiting until it is continued with SIGCONT\n"
        )
        // No event stands for a time in which nothing is to happen; three times the limit.
        usleep(3_000_000)
        kill(host, SIGCONT)
        try child.waitForErrors("gatehouse: the host (process \(host)) continues\n")
        try expectAlive(child, in: scene)
    }

    @Test func `a host that reports no calls is alive to its supervisor as long as its tasks run`() throws {
        let scene = try scene(#""ingress": { "listen": ["unix:in.sock?ack"] }, "#)
        let child = try scene.start(["--supervise", "--watchdog", "0", "--print", "none"])
        try child.waitForErrors("listening at")
        // A host whose tasks hang is asked too, and ended after the same time.
        let other = try self.scene().start(["--supervise", "--watchdog", "0", "--print", "none"])
        other.write(act("pool", "spin"))
        try other.waitForErrors("all task threads have been busy (effects of fatal are running) for ")
        try other.waitForErrors("it is restarted")
        other.closeInput()
        _ = try other.finish()
        try expectAlive(child, in: scene)
    }

    @Test func `without a supervisor it is only told that all threads for tasks are occupied`() throws {
        let child = try scene().start(["--watchdog", "0.5", "--print", "none"])
        child.write(act("pool", "spin"))
        try child.waitForErrors(
            "gatehouse: all task threads have been busy (effects of fatal are running) for ")
        try child.waitForErrors(" s; the host is waiting\n")
        child.signal(SIGTERM)
        child.signal(SIGKILL)
        _ = try child.finish()
    }

    @Test(arguments: [
        ("handle", "spin", "fatal_do in libFatalPlugin.so at CFatal.c:N"),
        ("handle", "loop", "fatal_do in libFatalPlugin.so at CFatal.c:N"),
        ("swift", "lock", ".takeTwice() -> () in libFatalPlugin.so at FatalPlugin.swift:N"),
    ])
    func `a call that does not come back is told with its stack, and the host goes on`(
        place: String, deed: String, innermost: String
    ) throws {
        let child = try scene().start(["--watchdog", "0.3", "--print", "none"])
        child.write(act(place, deed))
        try child.waitForErrors("the host is waiting for it\n")
        try child.waitForErrors(").handle(action: ")
        child.signal(SIGKILL)
        let outcome = try child.finish()
        let said = outcome.errorLines.map { $0.replacing(/(\.c|\.swift):\d+/) { "\($0.1):N" } }
        let headline = try #require(said.firstIndex { $0.hasSuffix("; the host is waiting for it") })
        let stack = said[(headline + 1)...].prefix { $0.hasPrefix("  at ") || $0.hasPrefix("  … ") }
        #expect(stack.count <= 16)
        let own = stack.filter { $0.contains("libFatalPlugin.so") }
        #expect(own.first?.hasSuffix(innermost) == true, "\(outcome.errors)")
        #expect(
            own.contains {
                $0.contains("(Doer in ") && $0.contains(").handle(action: ")
                    && $0.hasSuffix(" in libFatalPlugin.so at FatalPlugin.swift:N")
            }, "\(outcome.errors)")
    }

    // MARK: - At the end

    @Test func `a host that dies when it is to end is not started again, and who has asked is told`() throws {
        let scene = try scene(#""ingress": { "listen": ["unix:in.sock?ack"] }, "#)
        let child = try scene.start(["--supervise", "--control", "--print", "none"])
        try child.waitForErrors("listening at")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(act("stopping", "trap"))
        #expect(writer.readLine() == #"{"ok":1}"#)
        let stop = try scene.call("ctl", "stop")
        #expect(stop.output == "")
        #expect(
            stop.errors
                == "gatehouse: shop died while shutting down; its standard error says why\n")
        #expect(stop.exitCode == 70)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 128 + SIGILL)
        #expect(
            outcome.errorLines.last?.replacing(/process \d+/, with: "process N")
                == "gatehouse: the host (process N) died by SIGILL while shutting down; it is not restarted"
        )
    }

    @Test(arguments: [true, false])
    func `a child that a plugin has forked keeps neither sockets nor locks from the next host`(
        isSupervised: Bool
    ) throws {
        let scene = try scene(#""journal": {}, "ingress": { "listen": ["unix:in.sock?ack"] }, "#)
        let arguments = (isSupervised ? ["--supervise"] : []) + ["--control", "--print", "none"]
        for number in 1...2 {
            let child = try scene.start(arguments)
            try child.waitForErrors("listening at")
            let writer = try LocalConnection(scene.folder("in.sock"))
            writer.write(act("handle", "fork"))
            #expect(writer.readLine() == #"{"ok":1}"#, "host \(number)")
            // A supervisor's host would go on for a moment.
            child.signal(number == 1 && !isSupervised ? SIGKILL : SIGTERM)
            // The child has its standard output too, so that its end is no sign.
            while try !String(
                decoding: FileSystem.read("/proc/\(child.identifier)/stat"), as: UTF8.self
            ).contains(") Z ") {
                try child.takeWhatIsThere()
                sched_yield()
            }
        }
        let last = try scene.start(arguments)
        try last.waitForErrors("listening at")
        last.signal(SIGTERM)
        #expect(try last.finish().exitCode == 0)
    }

    // MARK: - Numbers

    @Test func `restarts, deaths and what followed from them are counted`() throws {
        let scene = try scene(
            #""ingress": { "listen": ["unix:in.sock?ack"] }, "#, #", "crashes": 2"#)
        let child = try scene.start(["--supervise", "--control", "--print", "none"])
        try child.waitForErrors("listening at")
        for _ in 0..<2 {
            let writer = try LocalConnection(scene.folder("in.sock"))
            writer.write(act("handle", "trap"))
            #expect(writer.readLine() == nil)
        }
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(pass)
        #expect(writer.readLine() == #"{"ok":1}"#)
        let metrics = try scene.call("ctl", "metrics").output.split(separator: "\n").map(String.init)
        for line in [
            #"gatehouse_restarts_total{host="shop"} 2"#, #"gatehouse_quarantined{host="shop"} 1"#,
            #"gatehouse_set_aside{host="shop"} 0"#,
            #"gatehouse_instance_deaths_total{host="shop",instance="fatal"} 2"#,
        ] { #expect(metrics.contains(line)) }
        child.signal(SIGTERM)
        #expect(try child.finish().exitCode == 0)
    }
}
