// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// Who asks for a reload, how often, and what else is asked of the host meanwhile.
@Suite(.timeLimit(.minutes(10))) struct RequestCasesTests {
    /// A host whose next reload waits at a checkpoint: when the library that is to be taken reads the state of the other.
    private func halting(_ arguments: [String] = []) throws -> (LiveHost, Checkpoint) {
        let live = try LiveHost(
            #"{ "name": "shop", "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantOnePlugin"],
            arguments, environment: Checkpoint.environment)
        let checkpoint = try Checkpoint(in: live.scene.folder)
        live.write(#"{"type":"migrant/plan","payload":{"deed":"halt:\#(checkpoint.path)"}}"#)
        live.write(#"{"type":"migrant/add","payload":5}"#)
        try live.settle()
        try live.replace("MigrantOnePlugin", by: "MigrantTwoPlugin")
        return (live, checkpoint)
    }

    @Test func `case 13: a thousand signals during a reload lead to one more`() throws {
        let (live, checkpoint) = try halting()
        live.child.signal(SIGHUP)
        _ = try checkpoint.waitForArrival()
        for _ in 0..<1_000 { live.child.signal(SIGHUP) }
        try live.child.waitUntilSignalsAreTaken()
        checkpoint.release(9)
        try live.child.waitForErrors("nothing has changed, generation 2 runs on")
        let end = try live.finish()
        #expect(end.state == #"{"migrant":{"sum":5}}"#)
        #expect(
            end.errors == [
                "gatehouse: generation 2 runs, after N ms: replace migrant: version 1.0.0 by 2.0.0",
                "gatehouse: nothing has changed, generation 2 runs on",
                "gatehouse: 4 lines, 2 actions, 2 rejected",
            ])
    }

    @Test(arguments: ["tried", "built"])
    func `case 14: a SIGTERM in the middle of a reload ends the run in order`(phase: String) throws {
        let (live, checkpoint) = try halting()
        live.child.signal(SIGHUP)
        var process = try checkpoint.waitForArrival()
        #expect(process != live.child.identifier)
        if phase == "built" {
            while process != live.child.identifier {
                checkpoint.release()
                process = try checkpoint.waitForArrival()
            }
        }
        live.write(#"{"type":"migrant/add","payload":2}"#)
        try live.settle()
        live.child.signal(SIGTERM)
        let outcome = try live.child.finish()
        #expect(outcome.output.contains(#""total": 7"#))
        #expect(
            outcome.errorLines.suffix(2) == [
                "gatehouse: signal 15: no more input is read; a second signal ends at once",
                "gatehouse: 6 lines, 3 actions, 3 rejected, ended early by signal 15",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test
    func `case 16: a file that an editor saves by renaming, and a library that is dropped in, are noticed`()
        throws
    {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"], ["--watch"])
        try live.scene.folder.write(
            #"{ "plugins": [{ "id": "counter", "settings": { "step": 3 } }] }"#, to: "plugins.json~")
        try FileSystem.rename(live.scene.folder("plugins.json~"), to: live.scene.folder("plugins.json"))
        try live.child.waitForErrors("generation 2 runs")
        try live.scene.addLibrary("LoggerPlugin")
        try live.child.waitForErrors("generation 3 runs")
        live.send("counter/increment")
        let end = try live.finish()
        #expect(end.state == #"{"counter":{"count":3}}"#)
        #expect(
            end.errors.prefix(2) == [
                "gatehouse: generation 2 runs, after N ms: replace counter: other settings",
                "gatehouse: generation 3 runs, after N ms: start logger",
            ])
    }

    /// How many changes the system keeps for who watches; more are lost.
    private static let mostEvents =
        (try? FileSystem.read("/proc/sys/fs/inotify/max_queued_events"))
        .flatMap { Int(String(decoding: $0, as: UTF8.self).filter(\.isNumber)) } ?? .max

    @Test(.enabled(if: mostEvents < 100_000, "the system keeps too many events for a test to make more"))
    func `case 16: a change is noticed that the system could not tell of because too much had changed`()
        throws
    {
        let live = try LiveHost(LiveHost.counter, libraries: ["CounterPlugin"], ["--watch"])
        // The host sleeps, and so hears nothing until the system has given up.
        live.child.signal(SIGSTOP)
        for number in 0...(Self.mostEvents / 2) {
            let file = live.scene.folder("noise\(number & 1)")
            try FileSystem.write([], to: file)
            FileSystem.remove(file)
        }
        try live.scene.folder.write(
            #"{ "plugins": [{ "id": "counter", "settings": { "step": 3 } }] }"#, to: "plugins.json~")
        try FileSystem.rename(live.scene.folder("plugins.json~"), to: live.scene.folder("plugins.json"))
        live.child.signal(SIGCONT)
        try live.child.waitForErrors("generation 2 runs")
        live.send("counter/increment")
        #expect(try live.finish().state == #"{"counter":{"count":3}}"#)
    }

    @Test func `case 23: of two operators at once, the second is told that what it looked at has gone`()
        throws
    {
        let (live, checkpoint) = try halting(["--control"])
        let ask = {
            try ChildProcess(
                BuiltProducts.program, ["ctl", "reload", "--expect", "1"], in: live.scene.folder.path,
                environment: live.scene.environment)
        }
        let one = try ask()
        _ = try checkpoint.waitForArrival()
        let other = try ask()
        checkpoint.release(9)
        let (first, second) = try (one.finish(), other.finish())
        #expect(first.output.hasPrefix("generation 2 runs, after "))
        #expect(first.output.hasSuffix(" ms: replace migrant: version 1.0.0 by 2.0.0\n"))
        #expect(first.exitCode == 0)
        #expect(
            second.output == """
                expected generation 1, found generation 2; look at it and ask again
                the change is refused, generation 2 runs on

                """)
        #expect(second.exitCode == 78)
        #expect(try live.finish().state == #"{"migrant":{"sum":5}}"#)
    }
}
