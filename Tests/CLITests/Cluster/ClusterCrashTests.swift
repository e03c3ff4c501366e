// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What is said when a plugin ends a member, or hangs, in one of its partitions, and what follows: nothing that would make the member
/// differ from others.
@Suite(
    .enabled(if: RedisServer.isInstalled, "there is no Redis; Scripts/install-packages installs one"),
    .timeLimit(.minutes(10)))
struct ClusterCrashTests {
    /// A member whose plugin `fatal` does what actions say, of a cluster of its own.
    private func scene(
        _ redis: RedisServer, _ rules: String = "", _ members: String = "", partitions: Int = 5
    ) throws -> Scene {
        try Scene(
            """
            { "name": "a", "supervise": { "pause": 0, "crashes": 1, "deaths": 1\(rules) }, \(members)
              "cluster": { "engine": "\(redis.url)", "name": "shop", "partitions": \(partitions), "lease": 1 },
              "plugins": [{ "id": "fatal" }, { "id": "ending" }] }
            """, libraries: ["FatalPlugin", "EndingPlugin"])
    }

    /// An action that ends the host; all of these go to partition 1 of five.
    private func act(_ place: String, _ deed: String) -> String {
        #"{"type":"fatal/act","payload":{"place":"\#(place)","deed":"\#(deed)"}}"# + "\n"
    }

    /// Has a supervised member read an action, until all that it leads to is over; gives what is said about ends, without numbers of
    /// processes, places in the engine and times.
    private func said(
        about action: String, _ rules: String = "", _ options: [String] = [], partitions: Int = 5
    ) throws -> [String] {
        let redis = try RedisServer()
        let outcome = try scene(redis, rules, partitions: partitions)
            .run(["--supervise", "--print", "none", "--input", "-"] + options, input: action)
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(!outcome.errors.contains("quarantine"), "\(outcome.errors)")
        return lines(outcome)
    }

    /// What is said about ends.
    private func lines(_ outcome: ChildProcess.Outcome) -> [String] {
        outcome.errorLines.filter { line in
            ["died by", "aside", "has not returned", "called exit"].contains { line.contains($0) }
        }.map {
            $0.replacing(/process \d+/, with: "process N").replacing(/action \d+-\d+/, with: "action N")
                .replacing(/for [0-9.]+ s/, with: "for N s")
                .replacing(/the last \d+ such/, with: "the last N such")
                .replacing(/(CFatal\.c|Plugin\.swift):\d+/) { "\($0.1):N" }
        }
    }

    /// What the cluster says at last of an action that ends its hosts.
    private let aside =
        "cluster: partition 1, action N: fatal/act is set aside: it has ended 3 hosts that started with it"

    @Test(arguments: [
        ("handle", "segv", "SIGSEGV", "SIGSEGV at 0x10 in its middleware"),
        ("reduce", "trap", "SIGILL", "SIGILL in its reducer"),
        ("answer", "abort", "SIGABRT", "SIGABRT in what its middleware answered"),
    ])
    func `each crash is told with plugin, action and partition, until the cluster skips the action`(
        place: String, deed: String, signal: String, what: String
    ) throws {
        let died =
            "gatehouse: the plugin fatal in partition 1 died by \(what) (CFatal.c:N), with the action fatal/act (number 1); the process ends"
        let restarted = { (times: String) in
            "gatehouse: the host (process N) died by \(signal)\(times); it is restarted"
        }
        let said = try said(about: act(place, deed))
        let lives = said.count / 2
        #expect(lives >= 3)
        #expect(
            said == [died, restarted("")]
                + (1..<lives).flatMap { _ in
                    [died, restarted(" (the last N such deaths were within 10 min)")]
                } + [aside])
    }

    @Test func `an error that Swift finds is told in the same way`() throws {
        let said = try said(about: #"{"type":"ending/trap"}"#)
        #expect(
            said.first
                == "gatehouse: the plugin ending in partition 4 died by SIGILL in what its middleware answered (EndingPlugin.swift:N), with the action ending/trap (number 1); the process ends"
        )
        #expect(
            said.last
                == "cluster: partition 4, action N: ending/trap is set aside: it has ended 3 hosts that started with it"
        )
    }

    /// What is said when an effect ends each member that begins it, of which there are ten.
    private func tenTimes(_ died: String, by signal: String) -> [String] {
        (0..<10).flatMap { life in
            [
                died,
                "gatehouse: the host (process N) died by \(signal)\(life == 0 ? "" : " (the last N such deaths were within 10 min)"); it is restarted",
            ]
        }
    }

    @Test
    func `an effect is told with the partition that has begun it, until ten members have ended with it`()
        throws
    {
        #expect(
            try said(about: act("task", "segv"))
                == tenTimes(
                    "gatehouse: the plugin fatal in partition 1 died by SIGSEGV at 0x10 in an effect (CFatal.c:N), begun by the action fatal/act (number 1); the process ends",
                    by: "SIGSEGV"))
    }

    @Test func `what an effect does elsewhere is told with its partition where it is the only one`() throws {
        #expect(
            try said(about: act("thread", "trap"))
                == tenTimes(
                    "gatehouse: the plugin fatal died by SIGILL in an effect or on a thread of its own (CFatal.c:N); its only effect then, in partition 1, was begun by the action fatal/act (number 1); the process ends",
                    by: "SIGILL"))
    }

    @Test func `what no handler can tell is found in the flight recorder alone`() throws {
        // With more partitions another one may be starting at that moment.
        #expect(
            try said(about: act("task", "unheard"), partitions: 1)
                == tenTimes(
                    "gatehouse: the host died by SIGILL and left no details, when the plugin fatal in partition 0 was in an effect, begun by the action fatal/act (number 1)",
                    by: "SIGILL"))
    }

    @Test func `a plugin that hangs in a partition is told, then its member is ended and started again`()
        throws
    {
        let what = "the plugin fatal in partition 1 is in its reducer, with the action fatal/act (number 1)"
        let life = [
            "gatehouse: \(what), and has not returned for N s; the host is waiting for it",
            "gatehouse: \(what), and has not returned for N s; the host is ended after 1 s",
            "gatehouse: \(what), and has not returned for N s; the host is ended",
            "gatehouse: the process died by SIGABRT, which another process sent, when the plugin fatal in partition 1 was in its reducer, with the action fatal/act (number 1); the process ends",
            "gatehouse: the host (process N) died by SIGABRT, because it hung; it is restarted",
        ]
        let said = try said(about: act("reduce", "loop"), #", "hang": 1"#, ["--watchdog", "0.2"])
        #expect(Array(said.prefix(5)) == life)
        #expect(said.last == aside)
    }

    @Test func `whoever ends the process otherwise is told with the partition too`() throws {
        let redis = try RedisServer()
        let outcome = try scene(redis).run(
            ["--print", "none", "--input", "-"], input: #"{"type":"ending/exit","payload":{"status":3}}"#)
        #expect(
            lines(outcome) == [
                "gatehouse: ending in partition 2 called exit(3); only the host may end the run, and the remaining input is not processed"
            ])
        #expect(outcome.exitCode == 70)
    }

    @Test func `without a supervisor a member finds out what has ended the one before, and nothing follows`()
        throws
    {
        let redis = try RedisServer()
        let scene = try scene(redis, "", #""ingress": { "listen": ["unix:in.sock"] }, "#)
        let first = try scene.start(["--print", "none"])
        try first.waitForErrors("listening at")
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(act("task", "trap"))
        _ = try first.finish()
        let second = try scene.start(["--print", "none"])
        try second.waitForErrors("listening at")
        second.signal(15)
        let outcome = try second.finish()
        #expect(
            lines(outcome).first
                == "gatehouse: the previous host (process N) has died: the plugin fatal in partition 1 died by SIGILL in an effect, begun by the action fatal/act (number 1)"
        )
        #expect(!outcome.errors.contains("quarantine"))
        let ledger = try scene.folder.read("data/host/crashes.json")
        #expect(ledger.contains(#""partition":1"#), "\(ledger)")
        #expect(ledger.contains(#""quarantined":[],"setAside":[]"#), "\(ledger)")
    }
}
