// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Writers that connect to a socket.
@Suite(.timeLimit(.minutes(10))) struct ListenTests {
    private let increment = #"{"type":"counter/increment"}"# + "\n"
    /// Comes back with a rejection once what stands before it has been read.
    private let mark = "mark\n"

    /// A counter that listens at `in.sock`.
    private func scene(_ address: String = #""unix:in.sock""#) throws -> Scene {
        try Scene.counter(#""ingress": { "listen": [\#(address)] }, "#)
    }

    /// A run that writers can connect to.
    private func started(_ scene: Scene, _ arguments: [String] = []) throws -> ChildProcess {
        let child = try scene.start(arguments)
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        return child
    }

    @Test func `lines of a writer are processed, and a signal ends the run with its writers connected`()
        throws
    {
        let scene = try scene()
        let child = try started(scene, ["--name", "orders"])
        let socket = scene.folder("gatehouse/orders.sock")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(increment + increment + mark + #"{"type""#)
        try child.waitForErrors("in.sock#1:3:1: ")
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 2\n  }\n}\n")
        #expect(
            outcome.errorLines == [
                "gatehouse: listening at in.sock", "gatehouse: orders can be controlled at \(socket)",
                "in.sock#1:3:1: expected a value, found mark; bare words are true, false and null",
                "gatehouse: signal 15: no more input is read; a second signal ends at once",
                "in.sock#1:4:1: the run ends before this line is complete; its 7 bytes so far are discarded",
                "gatehouse: 3 lines, 2 actions, 1 rejected, ended early by signal 15",
            ])
        #expect(outcome.exitCode == 0)
        #expect(writer.readLine() == nil)
        #expect(!FileSystem.names(in: scene.folder.path).contains("in.sock"))
    }

    @Test func `each input may carry what its own rules and those of all inputs let in`() throws {
        let scene = try Scene.counter(
            """
            "ingress": { "deny": ["counter/decrement"], "input": { "allow": ["counter/*"] },
              "listen": [{ "socket": "unix:in.sock", "deny": ["counter/reset"] }],
              "tail": { "file": "log.ndjson", "allow": ["counter/reset", "counter/decrement"] } }, 
            """)
        func line(_ name: String) -> String { #"{"type":"counter/\#(name)"}"# + "\n" }
        try scene.folder.write(line("increment") + line("reset") + line("decrement"), to: "log.ndjson")
        let child = try scene.start(["--input", "-", "--no-control"])
        try child.waitForErrors("log.ndjson:3: ")
        child.write(line("increment") + #"{"type":"other"}"# + "\n")
        try child.waitForErrors("standard input:2: ")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(line("reset") + line("increment") + mark)
        try child.waitForErrors("in.sock#1:3:1: ")
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 2\n  }\n}\n")
        #expect(
            outcome.errorLines.filter { $0.contains("may not carry") } == [
                #"log.ndjson:1: counter/increment: this input may not carry it: "allow" of "ingress"/"tail" for log.ndjson does not list it; add it there"#,
                #"log.ndjson:3: counter/decrement: input may not carry it: "ingress"/"deny" lists "counter/decrement""#,
                #"standard input:2: other: this input may not carry it: "allow" of "ingress"/"input" does not list it; add it there"#,
                #"in.sock#1:1: counter/reset: this input may not carry it: "deny" of "ingress"/"listen" for in.sock lists "counter/reset""#,
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `four writers at once are all read, each in its order`() throws {
        let scene = try scene()
        let child = try started(scene, ["--print", "actions"])
        let count = 5_000
        let writers = try (0..<4).map { _ in try LocalConnection(scene.folder("in.sock")) }
        let threads = try writers.enumerated().map { index, writer in
            try TestWriter {
                for number in 0..<count { writer.write("{\"type\":\"w\(index)\",\"payload\":\(number)}\n") }
                writer.write("mark\n")
            }
        }
        for number in 1...4 { try child.waitForErrors("in.sock#\(number):\(count + 1):1: ") }
        for thread in threads { thread.join() }
        child.signal(SIGTERM)
        let outcome = try child.finish()
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4 * count)
        for index in 0..<4 {
            let expected = (0..<count).map { "{\"type\":\"w\(index)\",\"payload\":\($0)}"[...] }
            #expect(lines.filter { $0.hasPrefix("{\"type\":\"w\(index)\"") } == expected)
        }
    }

    @Test func `a writer that goes in the middle of a line loses that line alone, which is told`() throws {
        let scene = try scene()
        let child = try started(scene)
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(increment + #"{"type":"counter/incr"#)
        writer.close()
        try child.waitForErrors(
            "in.sock#1:2:1: its writer left before this line was complete; its 21 bytes so far are discarded\n"
        )
        let next = try LocalConnection(scene.folder("in.sock"))
        next.write(increment + mark)
        try child.waitForErrors(":2:1: expected a value, found mark")
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.output.contains("\"count\": 2"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `garbage is rejected line by line, and harms no other writer`() throws {
        let scene = try scene()
        let child = try started(scene)
        let noise = try LocalConnection(scene.folder("in.sock"))
        noise.write("\u{0}\u{1}garbage\n[1,2\n\n" + increment + mark)
        try child.waitForErrors("in.sock#1:5:1: ")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(increment + mark)
        try child.waitForErrors("in.sock#2:2:1: ")
        child.signal(SIGTERM)
        let outcome = try child.finish()
        #expect(outcome.output.contains("\"count\": 2"))
        #expect(
            outcome.errorLines.last
                == "gatehouse: 7 lines, 2 actions, 4 rejected, 1 blank, ended early by signal 15")
    }

    @Test func `a thousand idle connections cost little memory, and one among them is served`() throws {
        LocalConnection.raiseLimit()
        let scene = try scene(#"{ "socket": "unix:in.sock", "ack": true }"#)
        let child = try started(scene)
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(increment)
        #expect(writer.readLine() == #"{"ok":1}"#)
        let before = try child.memory()
        let idle = try (0..<1_000).map { _ in try LocalConnection(scene.folder("in.sock")) }
        for connection in idle { connection.write(increment) }
        for connection in idle { #expect(connection.readLine() == #"{"ok":1}"#) }
        #expect(try child.memory() - before < 8 << 20)
        writer.write(increment)
        #expect(writer.readLine() == #"{"ok":2}"#)
        child.signal(SIGTERM)
        #expect(try child.finish().output.contains("\"count\": 1002"))
    }

    // MARK: - Acknowledgements

    @Test func `a writer is told how many lines are done with, and how many were not taken`() throws {
        let scene = try scene(#""unix:in.sock?ack""#)
        let child = try started(scene)
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(increment)
        #expect(writer.readLine() == #"{"ok":1}"#)
        writer.write("\n" + mark + increment)
        var answer = writer.readLine()
        while let found = answer, !found.contains("\"ok\":4") { answer = writer.readLine() }
        #expect(answer == #"{"ok":4,"rejected":1}"#)
        writer.write(increment)
        writer.finishWriting()
        #expect(writer.readLine() == #"{"ok":5,"rejected":1}"#)
        #expect(writer.readLine() == nil)
        child.signal(SIGTERM)
        #expect(try child.finish().output.contains("\"count\": 3"))
    }

    @Test func `a writer that reads no answers waits, and the others do not`() throws {
        let scene = try scene(#""unix:in.sock?ack""#)
        let child = try started(scene, ["--print", "none"])
        let stubborn = try LocalConnection(scene.folder("in.sock"))
        let thread = try TestWriter { while stubborn.write("{\"type\":\"a\"}\n") {} }
        let writer = try LocalConnection(scene.folder("in.sock"))
        for number in 1...100 {
            writer.write(increment)
            #expect(writer.readLine() == "{\"ok\":\(number)}")
        }
        child.signal(SIGTERM)
        #expect(try child.finish().exitCode == 0)
        thread.join()
    }

    // MARK: - Sockets

    @Test func `the socket of a host that was killed is replaced`() throws {
        let scene = try scene()
        let killed = try started(scene)
        killed.signal(SIGKILL)
        _ = try killed.finish()
        #expect(FileSystem.names(in: scene.folder.path).contains("in.sock"))
        let child = try started(scene)
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(mark)
        try child.waitForErrors("in.sock#1:1:1: ")
        child.signal(SIGTERM)
        #expect(try child.finish().errorLines.last?.hasPrefix("gatehouse: 1 line, ") == true)
    }

    @Test func `the socket of a host that lives is refused, and left to it`() throws {
        let scene = try scene()
        let first = try started(scene, ["--name", "orders"])
        let second = try scene.run(["--name", "orders"])
        let control = scene.folder("gatehouse/orders.sock")
        #expect(
            second.errorLines == [
                "gatehouse: warning: nobody can control this host: a host is running at \(control); end it with gatehouse ctl stop, or give this one another name with --name",
                "gatehouse: in.sock: another process already listens there; end it, or listen at another path",
            ])
        #expect(second.exitCode == 64)
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(mark)
        // The second host has connected too, to see whether somebody listens; it may have number 1 still.
        try first.waitForErrors(":1:1: expected a value, found mark")
        first.signal(SIGTERM)
        _ = try first.finish()
    }

    @Test(arguments: [
        (
            "unix:taken",
            "taken: expected nothing or the socket of a host that has ended, found something else; remove it, or listen at another path"
        ),
        ("unix:no/in.sock", "no: cannot listen there: No such file or directory; choose another path"),
        (
            "systemd",
            #"expected sockets in LISTEN_FDS, as systemd hands them over, found none; start the host by its socket unit, or listen at "unix:PATH""#
        ),
        (
            "systemd:in",
            #"expected a socket named "in" in LISTEN_FDNAMES, found no socket; name it with FileDescriptorName= in the socket unit"#
        ),
    ])
    func `a place where nobody can listen is told`(address: String, sentence: String) throws {
        let scene = try Scene.counter()
        try scene.folder.write("", to: "taken")
        let outcome = try scene.run(["--listen", address])
        #expect(outcome.errors == "gatehouse: \(sentence)\n")
        #expect(outcome.exitCode == 64)
    }

    @Test func `a path that is too long for a socket is told with its length`() throws {
        let scene = try Scene.counter()
        let folder = String(repeating: "d", count: 60)
        _ = try scene.folder.makeFolder(folder)
        let path = folder + "/" + String(repeating: "s", count: 60)
        let outcome = try scene.run(["--listen", "unix:" + path])
        #expect(
            outcome.errors
                == "gatehouse: --listen: expected a path of at most 107 bytes after \"unix:\", found \"unix:\(path)\"\n"
        )
        #expect(outcome.exitCode == 64)
    }

    @Test func `a socket is this user's alone, unless its mode says more`() throws {
        let scene = try scene(#""unix:in.sock", { "socket": "unix:group.sock", "mode": "0660" }"#)
        let child = try started(scene)
        try child.waitForErrors("gatehouse: listening at group.sock\n")
        let modes = try ["in.sock", "group.sock"].map { try FileSystem.mode(of: scene.folder($0)) & 0o777 }
        #expect(modes == [0o600, 0o660])
        child.signal(SIGTERM)
        _ = try child.finish()
    }

    @Test func `sockets that were handed over are used under their names`() throws {
        let scene = try scene(#""systemd:orders""#)
        let socket = try LocalConnection.listen(at: scene.folder("unit.sock"))
        defer { close(socket) }
        let child = try ChildProcess(
            "/bin/sh",
            [
                "-c", #"exec env LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=orders "$0" run"#,
                BuiltProducts.program,
            ], in: scene.folder.path, environment: scene.environment, handing: socket, keeping: scene.folder)
        try child.waitForErrors("gatehouse: listening at the socket \"orders\" that was handed over\n")
        let writer = try LocalConnection(scene.folder("unit.sock"))
        writer.write(increment + mark)
        try child.waitForErrors("orders#1:2:1: ")
        child.signal(SIGTERM)
        #expect(try child.finish().output.contains("\"count\": 1"))
        #expect(FileSystem.names(in: scene.folder.path).contains("unit.sock"))
    }

    @Test(.enabled(if: Workshop.has("systemd-socket-activate"), "needs systemd-socket-activate"))
    func `two sockets that systemd hands over are told apart by their names`() throws {
        let scene = try Scene.counter(
            #""ingress": { "listen": ["systemd:orders?ack", "systemd:payments"] }, "#)
        let child = try ChildProcess(
            "/usr/bin/env",
            ["systemd-socket-activate", "--fdname=orders:payments"]
                + ["CACHE_DIRECTORY", "XDG_RUNTIME_DIR", "GATEHOUSE_RUN_DIRECTORY"].map { "--setenv=" + $0 }
                + ["orders.sock", "payments.sock"].map { "--listen=" + scene.folder($0) }
                + [BuiltProducts.program, "run"],
            in: scene.folder.path, environment: scene.environment, keeping: scene.folder)
        try child.waitForErrors("Listening on \(scene.folder("payments.sock")) as 4.\n")
        // The first connection starts the host.
        let orders = try LocalConnection(scene.folder("orders.sock"))
        orders.write(increment + mark)
        #expect(orders.readLine()?.hasPrefix(#"{"ok":"#) == true)
        try child.waitForErrors("orders#1:2:1: ")
        let payments = try LocalConnection(scene.folder("payments.sock"))
        payments.write(increment + mark)
        try child.waitForErrors("payments#1:2:1: ")
        child.signal(SIGTERM)
        #expect(try child.finish().output.contains("\"count\": 2"))
    }

    // MARK: - Configuration

    @Test(arguments: [
        (
            #"["in.sock"]"#,
            #"/ingress/listen/0: expected an address such as "unix:in.sock", "systemd" or "systemd:NAME", found "in.sock"; put "unix:" before the path of the socket"#
        ),
        (
            #"[{ "sock": "unix:a" }]"#,
            #"/ingress/listen/0/sock: unknown key "sock", expected "socket", "ack", "mode", "allow" or "deny"; rename or remove it"#
        ),
        (#"["unix:a", "unix:a?ack"]"#, #"/ingress/listen/1: "unix:a" is listed twice; remove one of them"#),
        (
            #"[{ "socket": "unix:a", "mode": "7" }]"#,
            #"/ingress/listen/0/mode: expected permissions in octal digits from "0600" to "0777", found "7"; write "0660" to let the group in"#
        ),
        (
            #""unix:a""#,
            #"/ingress/listen: expected an array of addresses, found "unix:a"; write ["unix:in.sock"]"#
        ),
        (
            #"["unix:d/"]"#,
            #"/ingress/listen/0: expected the path of a socket after "unix:", found "unix:d/"; add its file name"#
        ),
    ])
    func `check tells what is wrong with an address`(listen: String, sentence: String) throws {
        let outcome = try Scene.counter(#""ingress": { "listen": \#(listen) }, "#).call("check")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }
}
