// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What a supervisor and a strict journal keep of a service with a bad plugin, beside a good one that four writers write to: some kinds
/// of bad plugin, or all of them with `GATEHOUSE_BAD_PLUGINS`, which says `all`, or the place and the deed of one.
@Suite(.serialized, .timeLimit(.minutes(120))) struct BadPluginTests {
    /// The kinds that are asked for.
    static let kinds: [BadPlugin] = {
        guard let asked = unsafe getenv("GATEHOUSE_BAD_PLUGINS").map({ unsafe String(cString: $0) }) else {
            return BadPlugin.sample
        }
        return asked == "all" ? BadPlugin.all : BadPlugin.all.filter { $0.testDescription == asked }
    }()

    /// After so many seconds the supervisor ends what does not come back.
    private static let limit = 2
    /// So long a start and a look of the supervisor may take beside that, for each of the deaths that one line may lead to.
    private static let rest = Duration.seconds(20)

    @Test(arguments: kinds)
    func `the service goes on, the bad plugin is named, and all that was acknowledged is reduced once`(
        _ bad: BadPlugin
    ) throws {
        let scene = try Scene(
            """
            { "name": "shop", "journal": { "mode": "strict", "snapshotEvery": 100 },
              "supervise": { "pause": 0, "hang": \(Self.limit), "crashes": 1000 },
              "ingress": { "listen": ["unix:in.sock?ack"] },
              "plugins": [
                { "id": "ledger" },
                { "id": "bad", "library": "lib\(bad.library).so"\(settings(bad)) }
              ] }
            """, libraries: ["LedgerPlugin", bad.library])
        if bad.place == "start" { try scene.folder.write("", to: "once") }
        let child = try start(scene, bad)
        try child.waitForErrors("gatehouse: listening at in.sock\n")
        let writers = (0..<4).map { NumberingWriter("w\($0)", namingLines: true) }
        let path = scene.folder("in.sock")
        try write(writers, to: path, upTo: 100) {}
        let isSwift = bad.library == "FatalPlugin"
        if isSwift {
            let other = try LocalConnection(path)
            for number in 1...5 {
                other.write(#"{"type":"bad/pass"}"# + "\n")
                // A host that dies at its start may do so while this is on its way.
                if bad.place != "start" { #expect(other.readLine() == #"{"ok":\#(number)}"#) }
            }
        }
        let start = ContinuousClock.now
        var villain: LocalConnection?
        try write(writers, to: path, upTo: 300) {
            villain = try LocalConnection(path)
            if bad.place != "start" { villain?.write(bad.line) }
        }
        if bad.place != "stopping" { try child.waitForErrors("; it is restarted") }
        try child.takeWhatIsThere()
        // All are answered again.
        try write(writers, to: path, upTo: 400) {}
        let time = start.duration(to: .now)
        #expect(time < .seconds(3 * Self.limit) + Self.rest * 3, "\(bad.testDescription): \(time)")
        withExtendedLifetime(villain) {}
        let state = try JSONText.parse(try scene.call("ctl", "state", "").output)
        child.signal(SIGTERM)
        let outcome = try child.finish()
        let comment: Comment = "\(bad.testDescription): \(outcome.errors)"
        #expect(outcome.exitCode == exitCode(bad), comment)
        #expect(outcome.errors.contains(bad.said), comment)
        #expect(!outcome.errors.contains("the plugin ledger"), comment)
        for writer in writers {
            let page = try LedgerPage(of: writer.name, in: state)
            #expect(page.faults == [] && page.entered == [1...400], comment)
        }
        if isSwift, bad.place != "start" {
            #expect(state["bad"]?["heard"]?.intValue ?? 0 >= 5, comment)
        }
        if unsafe getenv("GATEHOUSE_BAD_PLUGINS") != nil {
            let deaths = outcome.errors.split(separator: "; it is restarted").count - 1
            print("| \(bad.place) | \(bad.deed) | \(deaths) | \(time / .milliseconds(100) / 10) s |")
        }
    }

    /// What the configuration says to the plugin.
    private func settings(_ bad: BadPlugin) -> String {
        bad.place == "start" ? #", "settings": { "start": "\#(bad.deed)", "once": "once" }"# : ""
    }

    /// What the supervisor ends with: a host that dies when it is to end is not started again.
    private func exitCode(_ bad: BadPlugin) -> Int32 {
        switch (bad.place, bad.deed) {
        case ("stopping", "trap"): 128 + SIGILL
        case ("stopping", "loop"): 128 + SIGABRT
        case ("stopping", _): 70
        default: 0
        }
    }

    /// Starts the service; for a plugin that takes memory without end with so little address space that it comes to that.
    private func start(_ scene: Scene, _ bad: BadPlugin) throws -> ChildProcess {
        let environment = scene.environment
        let arguments = ["run", "--supervise", "--control", "--print", "none", "--grace", "1"]
        guard bad.deed == "memory" else {
            return try ChildProcess(
                BuiltProducts.program, arguments, in: scene.folder.path, environment: environment,
                keeping: scene.folder)
        }
        return try ChildProcess(
            "/bin/sh", ["-c", #"ulimit -v 2000000; exec "$0" "$@""#, BuiltProducts.program] + arguments,
            in: scene.folder.path, environment: environment, keeping: scene.folder)
    }

    /// Lets each writer write up to a number, over as many connections as it takes.
    ///
    /// - Parameter strike: is called while they write.
    private func write(
        _ writers: [NumberingWriter], to path: String, upTo last: Int, strike: () throws -> Void
    ) throws {
        let threads = try writers.enumerated().map { index, writer in
            try TestWriter {
                while writer.isLeft(upTo: last) {
                    writer.write(to: path, upTo: last, seed: UInt64(index + last))
                }
            }
        }
        try strike()
        for thread in threads { thread.join() }
    }
}
