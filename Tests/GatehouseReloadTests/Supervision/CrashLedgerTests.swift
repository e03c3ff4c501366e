// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import Testing

@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime

/// What follows from crashes.
@Suite(.timeLimit(.minutes(10))) struct CrashLedgerTests {
    private let rules = SuperviseConfiguration(crashes: 3, minutes: 10, deaths: 2)

    /// A crash in a plugin at a time.
    private func crash(
        _ time: Double, cause: String = "SIGILL", digest: String? = "0123456789abcdef",
        input: InputOrigin? = nil, type: String = "orders/placed", blame: FlightRecord.Blame = .record,
        store: FlightRecord.Store = .host, isChance: Bool = false
    ) -> CrashLedger.Crash {
        CrashLedger.Crash(
            time: time, cause: cause,
            account: FlightRecord(
                blame: blame, store: store, step: .reduce, signal: 0, isSent: false, instance: "eu",
                plugin: "orders",
                digest: digest, sequence: 7, type: type, input: input,
                sentence: "the plugin orders died by SIGILL in its reducer"), isChance: isChance)
    }

    private func line(_ line: UInt64, isReadAgain: Bool = true) -> InputOrigin {
        InputOrigin(
            number: nil, place: InputOrigin.Place(file: "in.ndjson", line: line, isReadAgain: isReadAgain))
    }

    @Test func `so many crashes within the time put a library into quarantine, once`() {
        var ledger = CrashLedger()
        #expect(ledger.note(crash(0), under: rules) == [])
        #expect(ledger.note(crash(300), under: rules) == [])
        #expect(
            ledger.note(crash(600), under: rules) == [
                "the plugin orders is in quarantine: it has ended the host 3 times within 10 min, the last time by SIGILL; it is not loaded until gatehouse ctl release orders lets it out, or another library comes"
            ])
        #expect(
            ledger.quarantined == [
                CrashLedger.Quarantine(
                    digest: "0123456789abcdef", plugin: "orders", since: 600,
                    reason: "it has ended the host 3 times within 10 min, the last time by SIGILL")
            ])
        #expect(ledger.note(crash(601), under: rules) == [])
    }

    @Test(arguments: [
        ("hung", "because it hung"), ("memory", "because memory was short"), ("SIGBUS", "by SIGBUS"),
    ])
    func `the reason says how it was the last time`(cause: String, manner: String) {
        var ledger = CrashLedger()
        for time in [0, 1, 2] as [Double] {
            _ = ledger.note(crash(time, cause: cause), under: rules)
        }
        #expect(
            ledger.quarantined.first?.reason
                == "it has ended the host 3 times within 10 min, the last time \(manner)")
    }

    @Test func `crashes that are too far apart do not count together`() {
        var ledger = CrashLedger()
        for time in [0, 301, 602, 903] as [Double] {
            #expect(ledger.note(crash(time), under: rules) == [])
        }
        #expect(ledger.quarantined == [])
    }

    @Test func `crashes of other bytes of the same plugin do not count together`() {
        var ledger = CrashLedger()
        for digest in ["a", "b", "c"] { #expect(ledger.note(crash(0, digest: digest), under: rules) == []) }
        #expect(ledger.quarantined == [])
    }

    @Test func `a crash of nobody, or of a plugin that is linked in, never leads to anything`() {
        var ledger = CrashLedger()
        for time in 0..<10 {
            #expect(
                ledger.note(crash(Double(time), input: line(1), blame: .nobody), under: rules) == [])
            #expect(ledger.note(crash(Double(time), digest: nil), under: rules) == [])
            #expect(
                ledger.note(
                    CrashLedger.Crash(time: Double(time), cause: "SIGKILL", account: nil), under: rules) == []
            )
        }
        #expect(ledger.quarantined == [] && ledger.setAside == [])
    }

    @Test(arguments: [FlightRecord.Store.partition(3), .partition(nil)])
    func `a crash in a partition leads to nothing, because members must not differ`(store: FlightRecord.Store)
    {
        var ledger = CrashLedger()
        let input = InputOrigin(number: 17, place: nil)
        for time in 0..<10 {
            #expect(ledger.note(crash(Double(time), input: input, store: store), under: rules) == [])
        }
        #expect(ledger.quarantined == [] && ledger.setAside == [])
        // Nor does it count later, when the host has left its cluster.
        #expect(ledger.note(crash(10, input: input), under: rules) == [])
        #expect(ledger.note(crash(11), under: rules) == [])
        #expect(ledger.note(crash(12), under: rules).count == 1)
    }

    @Test func `in a cluster only instances of the scope host are in quarantine`() throws {
        let plugins = #""plugins": [{ "id": "counter" }, { "id": "persistence" }]"#
        let libraries = ["CounterPlugin", "PersistencePlugin"]
        let alone = try PlanExample.plan(#"{ "directory": ".", \#(plugins) }"#, libraries: libraries)
        var ledger = CrashLedger()
        ledger.quarantined = alone.instances.compactMap { instance in
            instance.digest.map {
                CrashLedger.Quarantine(digest: $0.hex, plugin: instance.id, since: 0, reason: "it died")
            }
        }
        let closed = { (plan: HostPlan) in
            plan.quarantining(ledger).instances.filter { $0.quarantine != nil }.map(\.id)
        }
        #expect(closed(alone) == ["counter", "persistence"])
        let member = try PlanExample.plan(
            #"{ "directory": ".", "cluster": { "engine": "redis://a", "name": "a" }, \#(plugins) }"#,
            libraries: libraries)
        #expect(closed(member) == ["persistence"])
    }

    @Test func `an input that kills twice is skipped, and the crash counts for its library too`() {
        var ledger = CrashLedger()
        var rules = rules
        rules.crashes = 2
        let input = InputOrigin(number: 17, place: nil)
        #expect(ledger.note(crash(0, input: input), under: rules) == [])
        #expect(
            ledger.note(crash(1, input: input), under: rules) == [
                "the input 17 is set aside: it has ended the host 2 times, the last time when the plugin orders died by SIGILL in its reducer",
                "the plugin orders is in quarantine: it has ended the host 2 times within 10 min, the last time by SIGILL; it is not loaded until gatehouse ctl release orders lets it out, or another library comes",
            ])
        #expect(
            ledger.setAsideNumbers == [
                17:
                    "it has ended the host 2 times, the last time when the plugin orders died by SIGILL in its reducer"
            ])
        ledger.dismiss([17])
        #expect(ledger.setAside == [])
    }

    /// A SIGKILL while an action was in hand.
    private func kill(_ time: Double, input: UInt64, _ type: String = "orders/placed") -> CrashLedger.Crash {
        crash(
            time, cause: "SIGKILL", input: InputOrigin(number: input, place: nil), type: type, isChance: true)
    }

    @Test func `SIGKILL counts from the third in a row on with the same action in hand`() {
        var ledger = CrashLedger()
        for time in [0, 1] as [Double] { #expect(ledger.note(kill(time, input: 7), under: rules) == []) }
        #expect(ledger.deaths == [:])
        #expect(
            ledger.note(kill(2, input: 7), under: rules).first
                == "the input 7 is set aside: it has ended the host 3 times, the last time when the plugin orders died by SIGILL in its reducer"
        )
        #expect(ledger.setAside.map(\.input.number) == [7])
        #expect(ledger.deaths == ["eu": 1])
    }

    @Test func `SIGKILL counts against nobody where another action, or another death, was in between`() {
        var ledger = CrashLedger()
        let rules = SuperviseConfiguration(crashes: 1000, minutes: 10, deaths: 3)
        for time in 0..<300 {
            let input = UInt64(time % 3 == 2 ? 8 : 7)
            #expect(ledger.note(kill(Double(time), input: input), under: rules) == [])
        }
        for time in 300..<306 {
            let next =
                time % 3 == 2
                ? crash(Double(time), digest: nil) : kill(Double(time), input: 7, time % 3 == 0 ? "a" : "b")
            #expect(ledger.note(next, under: rules) == [])
        }
        #expect(ledger.setAside.isEmpty && ledger.quarantined.isEmpty)
    }

    @Test func `a line counts only where the same line comes again`() {
        var ledger = CrashLedger()
        for time in [0, 1] as [Double] {
            #expect(ledger.note(crash(time, input: line(3, isReadAgain: false)), under: rules) == [])
        }
        #expect(ledger.note(crash(700, input: line(3)), under: rules) == [])
        #expect(ledger.note(crash(1_400, input: line(4)), under: rules) == [])
        #expect(ledger.note(crash(2_100, input: line(3)), under: rules).count == 1)
        #expect(Array(ledger.setAsidePlaces.keys) == ["in.ndjson:3"])
        ledger.forgetPlaces()
        #expect(ledger.setAside == [])
        #expect(ledger.note(crash(2_800, input: line(3)), under: rules) == [])
    }

    @Test(arguments: ["orders", "01234567", "0123456789ABCDEF"])
    func `what is released is named by plugin or digest, and its crashes are forgotten`(name: String) {
        var ledger = CrashLedger()
        for time in [0, 1, 2] as [Double] { _ = ledger.note(crash(time), under: rules) }
        #expect(ledger.release("0123456") == [])
        #expect(ledger.release("other") == [])
        #expect(ledger.release(name).map(\.plugin) == ["orders"])
        #expect(ledger.quarantined == [] && ledger.crashes == [])
        #expect(ledger.note(crash(3), under: rules) == [])
    }

    @Test func `only the last crashes are remembered`() {
        var ledger = CrashLedger()
        for time in 0..<(CrashLedger.remembered + 5) { _ = ledger.note(crash(Double(time)), under: rules) }
        #expect(ledger.crashes.count == CrashLedger.remembered)
        #expect(ledger.crashes.first?.time == 5)
    }

    @Test func `of too many crashes those of nobody are forgotten first`() {
        var ledger = CrashLedger()
        let input = InputOrigin(number: 17, place: nil)
        _ = ledger.note(crash(0, input: input), under: rules)
        for time in 1...(2 * CrashLedger.remembered) {
            _ = ledger.note(
                CrashLedger.Crash(time: Double(time), cause: "SIGKILL", account: nil), under: rules)
        }
        #expect(ledger.crashes.count == CrashLedger.remembered)
        #expect(ledger.note(crash(1_000, input: input), under: rules).count == 1)
    }

    // MARK: - The file

    @Test func `what is written is read again as it was`() throws {
        let folder = try TemporaryFolder()
        let file = CrashLedgerFile(path: folder("data/host/crashes.json"))
        _ = try folder.makeFolder("data")
        #expect(file.read().ledger == CrashLedger())
        var ledger = CrashLedger()
        for time in [0.5, 1, 2] { _ = ledger.note(crash(time, input: line(9)), under: rules) }
        _ = ledger.note(crash(3, input: InputOrigin(number: 5, place: nil), blame: .frames), under: rules)
        for store in [FlightRecord.Store.partition(0), .partition(nil)] {
            _ = ledger.note(crash(3, store: store), under: rules)
        }
        _ = ledger.note(CrashLedger.Crash(time: 4, cause: "SIGKILL", account: nil), under: rules)
        _ = ledger.note(
            CrashLedger.Crash(time: 5, cause: "SIGKILL", account: nil, isChance: true), under: rules)
        try file.write(ledger)
        let (read, warning) = file.read()
        #expect(read == ledger)
        #expect(read.crashes.map(\.isChance) == ledger.crashes.map(\.isChance))
        #expect(ledger.crashes.last?.isChance == true)
        #expect(warning == nil)
        #expect(!ledger.quarantined.isEmpty && !ledger.setAside.isEmpty)
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"crashes":[1],"quarantined":[],"setAside":[]}"#])
    func `a file that no host has written is put aside and told of`(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "crashes.json")
        let path = folder("crashes.json")
        let (ledger, warning) = CrashLedgerFile(path: path).read()
        #expect(ledger == CrashLedger())
        #expect(
            warning
                == "\(path): this is not a crash record of a host; it is kept as \(path).damaged, and nothing is in quarantine"
        )
        #expect(try folder.read("crashes.json.damaged") == text)
        #expect(CrashLedgerFile(path: path).read().warning == nil)
    }
}
