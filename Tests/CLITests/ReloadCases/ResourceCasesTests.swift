// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What an old and a new generation both want, what many of them take, and what there is no more of.
@Suite(.timeLimit(.minutes(10))) struct ResourceCasesTests {
    @Test func `case 19: a file and a port are let go by the old before the new takes them, and taken back`()
        throws
    {
        let port = try LocalPort.free()
        let text = { (file: String, label: String) in
            #"{ "plugins": [{ "id": "holding", "settings": { "file": "\#(file)", "port": \#(port), "label": "\#(label)" } }] }"#
        }
        let live = try LiveHost(text("held", "one"), libraries: ["HoldingPlugin"])
        live.write(#"{"type":"holding/add","payload":5}"#)
        try live.reload(text("held", "two"), expecting: "generation 2 runs")
        #expect(FileSystem.exists(live.scene.folder("held")) && LocalPort.isHeld(port))
        // The new one takes the port and cannot take the file; the old one takes both back.
        try live.reload(text("nowhere/held", "three"), expecting: "runs on")
        #expect(FileSystem.exists(live.scene.folder("held")) && LocalPort.isHeld(port))
        live.write(#"{"type":"holding/add","payload":2}"#)
        let end = try live.finish()
        #expect(end.state == #"{"holding":{"sum":7}}"#)
        #expect(
            end.errors.filter { !$0.contains("lines") } == [
                "gatehouse: generation 2 runs, after N ms: replace holding: other settings",
                "holding: is failing: three cannot take its file",
                "holding: it reports that it is failing at its start: three cannot take its file",
                "gatehouse: the change is refused, generation 2 runs on",
            ])
        #expect(!FileSystem.exists(live.scene.folder("held")) && !LocalPort.isHeld(port))
    }

    @Test func `case 19: no save is lost or left unanswered while an SQLite file changes hands`() throws {
        let text = { (timeout: Int) in
            #"{ "ingress": { "listen": ["unix:in.sock"] }, "plugins": [{ "id": "docs", "library": "libPersistencePlugin.so", "settings": { "busyTimeout": \#(timeout), "durability": "process" } }] }"#
        }
        let scene = try Scene(text(5_000), libraries: ["PersistencePlugin"])
        // What has not ended when its time is over begins again, and is answered twice: on a busy machine that would be some.
        let child = try scene.start(["--print", "actions", "--grace", "120"])
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        let connection = try LocalConnection(scene.folder("in.sock"))
        let count = 20_000
        let writer = try TestWriter {
            for number in 0..<count {
                connection.write(
                    #"{"type":"docs/save","payload":{"collection":"c","id":"k\#(number)","value":1}}"# + "\n")
            }
            connection.write("mark\n")
        }
        for generation in 2...6 {
            try scene.folder.write(text(5_000 + generation), to: "plugins.json")
            child.signal(SIGHUP)
            try child.waitForErrors("gatehouse: generation \(generation) runs, ")
        }
        try child.waitForErrors("in.sock#1:\(count + 1):1: ")
        writer.join()
        child.signal(SIGTERM)
        let outcome = try child.finish()
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix(#"{"type":"docs/saved""#) } == count)
        #expect(lines.count { $0.hasPrefix(#"{"type":"docs/failed""#) } == 0)
        #expect(
            outcome.errorLines.last
                == "gatehouse: \(count + 1) lines, \(2 * count) actions, 1 rejected, ended early by signal 15"
        )
        try scene.folder.write(
            #"{ "plugins": [{ "id": "docs", "library": "libPersistencePlugin.so" }] }"#, to: "plugins.json")
        let rest = try scene.run(
            ["--print", "actions"],
            input: #"{"type":"docs/request","payload":{"collection":"c"}}"#)
        let received = try JSONText.parse(String(rest.output.split(separator: "\n")[1]))
        #expect(received["payload"]?["documents"]?.arrayValue?.count == count)
    }

    @Test func `case 20: a hundred libraries one after the other leave descriptors and threads as they were`()
        throws
    {
        let live = try LiveHost(
            #"{ "name": "shop", "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"],
            ["--control"])
        let path = live.scene.folder("plugins/libCounterPlugin.so")
        let sound = try FileSystem.read(path)
        let replace = { (number: Int) in
            try FileSystem.write(sound + [UInt8](repeating: 0, count: number), to: path + ".new")
            try FileSystem.rename(path + ".new", to: path)
            live.child.signal(SIGHUP)
            try live.child.waitForErrors("gatehouse: generation \(number + 1) runs, ")
            live.send("counter/increment")
        }
        // What is made once is made by then.
        for number in 1...10 { try replace(number) }
        let before = (live.child.descriptors, live.child.threads, try live.child.memory())
        for number in 11...110 { try replace(number) }
        // The thread of a reload may still be about to end, with what it holds; a leak would be a hundred.
        #expect(live.child.descriptors <= before.0 + 3)
        #expect(live.child.threads <= before.1 + 3)
        let perImage = (try live.child.memory() - before.2) / 100
        #expect(perImage < sound.count, "\(perImage)")
        let status = try JSONText.parse(try live.ctl("status", "--json").output)
        #expect(status["generation"] == 111)
        #expect(status["images"] == ["mapped": 111, "retired": 110])
        #expect(
            try live.ctl("status").output.contains(
                "\n110 images of 111 no longer used by any instance; their memory is freed at the next start\n"
            )
        )
        #expect(try live.finish().state == #"{"counter":{"count":110}}"#)
    }

    @Test func `case 21: a watcher that never reads outlives a reload, and holds up nobody`() throws {
        let host = try ControlledHost()
        let watcher = try host.connect()
        watcher.write(#"{"jsonrpc":"2.0","id":1,"method":"watch"}"# + "\n")
        #expect(watcher.readLine() == #"{"jsonrpc":"2.0","id":1,"result":{"watching":true}}"#)
        let line = #"{"type":"big","payload":"\#(String(repeating: "x", count: 10_000))"}"# + "\n"
        // More than the system keeps for it, less than the host does.
        #expect(
            try host.ctl("dispatch", "-", input: String(repeating: line, count: 80)).output
                == "80 actions dispatched\n")
        for generation in 2...3 {
            let more = #", { "id": "more\#(generation)", "library": "libCounterPlugin.so" }"#
            try host.scene.folder.write(ControlledHost.configuration(entries: more), to: "plugins.json")
            #expect(try host.ctl("reload").output.hasPrefix("generation \(generation) runs, after "))
            #expect(try host.status()["clients"] == ["connected": 2, "watching": 1, "dropped": 0])
        }
        #expect(
            try host.ctl("dispatch", "-", input: String(repeating: line, count: 200)).output
                == "200 actions dispatched\n")
        try host.process.waitForErrors("control: client 1 watched and did not read; it was disconnected\n")
        #expect(try host.status()["clients"] == ["connected": 1, "watching": 0, "dropped": 1])
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `case 24: where no file may grow, a library that comes is refused and the rest runs on`()
        throws
    {
        let live = try LiveHost(
            #"{ "stateFile": "state.json", "plugins": [{ "id": "counter" }] }"#, libraries: ["CounterPlugin"])
        live.send("counter/increment")
        try live.settle()
        try live.child.limitFiles(to: 1)
        try live.scene.addLibrary("LoggerPlugin")
        try live.reload(expecting: "runs on")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":2}}"#)
        #expect(
            end.errors == [
                "./plugins/libCounterPlugin.so: refused for the instance counter: sendfile failed: File too large",
                "gatehouse: warning: ./plugins/libLoggerPlugin.so: refused: sendfile failed: File too large",
                "gatehouse: the change is refused, generation 1 runs on",
                "gatehouse: 5 lines, 2 actions, 3 rejected",
                "gatehouse: ./state.json: the state cannot be written: File too large; the file is unchanged since before this run",
            ])
        #expect(end.exitCode == 70)
        #expect(FileSystem.names(in: live.scene.folder.path).filter { $0.hasPrefix("state") } == [])
    }

    /// Whether this user may mount file systems in a view of its own.
    private static let canMount =
        (try? ChildProcess.run(
            "/bin/sh", arguments: ["-c", "unshare --mount mount -t tmpfs none /mnt"]))?.exitCode == 0

    @Test(.enabled(if: canMount, "mounting takes root"))
    func `case 24: a full disk takes no image and no state, and the reload is done without`() throws {
        let scene = try Scene(
            #"{ "stateFile": "disk/state.json", "ingress": { "allow": ["*", "host/reload"] }, "plugins": [{ "id": "counter" }] }"#,
            libraries: ["CounterPlugin"])
        let disk = try scene.folder.makeFolder("disk")
        let before =
            #"{"form":1,"configured":{},"plain":{},"kept":{},"instances":{"counter":{"plugin":"counter","slice":"/counter","gate":"active","position":"active","version":1,"state":{"count":5}}}}"#
            + "\n"
        // The shell stays, because only who is in there sees the disk; it shows what is left at the end.
        let words =
            #"mount -t tmpfs -o mode=700,size=4m none "$1" && printf %s "$2" > "$1/state.json" && { "$0" run; code=$?; cat "$1/state.json"; exit $code; }"#
        let child = try ChildProcess(
            "/usr/bin/unshare",
            ["--mount", "/bin/sh", "-c", words, BuiltProducts.program, disk, before],
            in: scene.folder.path, environment: ["CACHE_DIRECTORY": disk], keeping: scene.folder)
        child.write(#"{"type":"counter/increment"}"# + "\n?\n")
        try child.waitForErrors("standard input:2:1")
        #expect(throws: SystemFailure.self) {
            try FileSystem.write([UInt8](repeating: 0, count: 8 << 20), to: child.root + disk + "/rest")
        }
        try scene.addLibrary("LoggerPlugin")
        child.write(#"{"type":"host/reload"}"# + "\n")
        try child.waitForErrors("generation 2 runs")
        child.write(#"{"type":"counter/increment"}"# + "\n")
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.output == "{\n  \"counter\": {\n    \"count\": 7\n  }\n}\n" + before)
        let errors = outcome.errors.replacing(/after \d+ ms/, with: "after N ms")
            .replacing(/[0-9a-f]{64}\/[0-9a-f]+\.new/, with: "IMAGE")
        #expect(
            errors.split(separator: "\n").dropFirst() == [
                #"gatehouse: warning: plugins are mapped from memory, where backtraces and debuggers do not find them: \#(disk)/images/IMAGE: sendfile failed: No space left on device; correct that, name another folder in CACHE_DIRECTORY, or write "images": "memory""#,
                "gatehouse: generation 2 runs, after N ms: start logger",
                "logger: counter/increment from standard input:4: /counter/count 6 -> 7",
                "gatehouse: 4 lines, 3 actions, 1 rejected",
                "gatehouse: ./disk/state.json: the state cannot be written: No space left on device; the file is unchanged since before this run",
            ])
        #expect(outcome.exitCode == 70)
    }
}
