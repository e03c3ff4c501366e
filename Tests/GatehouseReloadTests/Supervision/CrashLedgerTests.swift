// SPDX-License-Identifier: Apache-2.0

import GatehouseControl
import GatehouseHostTesting
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import GatehouseSupport
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

    @Test func `of 200 crashes none is forgotten, of one more the oldest`() {
        var ledger = CrashLedger()
        for time in 0..<200 { _ = ledger.note(crash(Double(time)), under: rules) }
        #expect(ledger.crashes.map(\.time) == (0..<200).map(Double.init))
        _ = ledger.note(crash(200), under: rules)
        #expect(ledger.crashes.map(\.time) == (1...200).map(Double.init))
    }

    @Test
    func `an instance's deaths are counted wherever it ended the host, those by chance or of nobody not`() {
        var ledger = CrashLedger()
        _ = ledger.note(crash(0), under: rules)
        _ = ledger.note(crash(1, digest: nil), under: rules)
        _ = ledger.note(crash(2, store: .partition(3)), under: rules)
        #expect(ledger.deaths == ["eu": 3])
        _ = ledger.note(crash(3, blame: .nobody), under: rules)
        _ = ledger.note(crash(4, cause: "SIGKILL", isChance: true), under: rules)
        _ = ledger.note(CrashLedger.Crash(time: 5, cause: "SIGBUS", account: nil), under: rules)
        #expect(ledger.deaths == ["eu": 3])
        let account = ledger.account(restarts: 9)
        #expect(account.restarts == 9)
        #expect(account.deaths == ["eu": 3])
        #expect(account.quarantined == 0)
        #expect(account.setAside == 0)
    }

    @Test func `one crash is enough where the rules say so, and is told as one`() {
        var ledger = CrashLedger()
        let rules = SuperviseConfiguration(crashes: 1, minutes: 10, deaths: 1)
        let told = ledger.note(crash(5, input: InputOrigin(number: 17, place: nil)), under: rules)
        #expect(told.count == 2)
        #expect(
            ledger.setAside == [
                CrashLedger.SetAside(
                    input: CrashLedger.Input(InputOrigin(number: 17, place: nil)), since: 5,
                    reason:
                        "it has ended the host once, the last time when the plugin orders died by SIGILL in its reducer",
                    type: "orders/placed")
            ])
        #expect(
            ledger.quarantined.map(\.reason) == [
                "it has ended the host once within 10 min, the last time by SIGILL"
            ])
        #expect(ledger.account(restarts: nil).quarantined == 1)
        #expect(ledger.account(restarts: nil).setAside == 1)
        #expect(ledger.account(restarts: nil).restarts == nil)
    }

    @Test func `crashes count together up to the last instant of the time`() {
        for (time, isTold) in [(600.0, true), (600.5, false)] {
            var ledger = CrashLedger()
            var rules = rules
            rules.crashes = 2
            #expect(ledger.note(crash(0), under: rules) == [])
            #expect(ledger.note(crash(time), under: rules).isEmpty != isTold)
        }
    }

    @Test func `SIGKILL is chance unless input, type, instance and step are the same each time`() {
        func told(_ change: (inout FlightRecord) -> Void, cause: String = "SIGKILL") -> [Bool?] {
            var ledger = CrashLedger()
            for time in 0..<3 {
                var record = FlightRecord(
                    blame: .record, store: .host, step: .reduce, signal: 0, isSent: false, instance: "eu",
                    plugin: "orders", digest: "ab", sequence: 7, type: "orders/placed",
                    input: InputOrigin(number: 5, place: nil), sentence: "s")
                if time == 1 { change(&record) }
                _ = ledger.note(
                    CrashLedger.Crash(
                        time: Double(time), cause: time == 1 ? cause : "SIGKILL", account: record,
                        isChance: true), under: rules)
            }
            return ledger.crashes.map(\.isChance)
        }
        #expect(told { _ in } == [nil, nil, nil])
        #expect(told { $0.sequence = 8 } == [nil, nil, nil])
        #expect(told { $0.input = InputOrigin(number: 6, place: nil) } == [true, true, true])
        #expect(told { $0.input = nil } == [true, true, true])
        #expect(told { $0.type = "orders/other" } == [true, true, true])
        #expect(told { $0.instance = "us" } == [true, true, true])
        #expect(told { $0.step = .handle } == [true, true, true])
        #expect(told({ _ in }, cause: "memory") == [true, true, true])
    }

    @Test func `a fourth SIGKILL counts like the three before`() {
        var ledger = CrashLedger()
        for time in 0..<4 { _ = ledger.note(kill(Double(time), input: 7), under: rules) }
        #expect(ledger.crashes.map(\.isChance) == [nil, nil, nil, nil])
        _ = ledger.note(kill(4, input: 8), under: rules)
        #expect(ledger.crashes.map(\.isChance) == [nil, nil, nil, nil, true])
    }

    @Test func `an input is known by its number, or by a place that is read again`() {
        func identity(_ number: UInt64?, _ place: InputOrigin.Place?) -> String? {
            CrashLedger.Input(InputOrigin(number: number, place: place)).identity
        }
        let again = InputOrigin.Place(file: "in", line: 3, isReadAgain: true)
        let once = InputOrigin.Place(file: "in", line: 3, isReadAgain: false)
        #expect(identity(5, again) == "5")
        #expect(identity(5, nil) == "5")
        #expect(identity(nil, again) == "in:3")
        #expect(identity(nil, once) == nil)
        #expect(identity(nil, nil) == nil)
        let input = CrashLedger.Input(InputOrigin(number: 5, place: once))
        #expect((input.number, input.file, input.line, input.isReadAgain) == (5, "in", 3, false))
    }

    @Test func `the ledger keeps of a flight record what decides, and what is told`() {
        let account = CrashLedger.Account(
            FlightRecord(
                blame: .frames, store: .partition(3), step: .reduce, signal: 4, isSent: true, instance: "eu",
                plugin: "orders", digest: "ab", sequence: 7, type: "orders/placed",
                input: InputOrigin(number: 5, place: nil), sentence: "it died"))
        #expect(account.sentence == "it died")
        #expect(account.blame == .frames)
        #expect(account.partition == 3)
        #expect(account.step == PluginStep.reduce.word)
        #expect((account.instance, account.plugin, account.digest) == ("eu", "orders", "ab"))
        #expect((account.type, account.number) == ("orders/placed", 7))
        #expect(account.input?.number == 5)
        func partition(_ store: FlightRecord.Store) -> Value? {
            CrashLedger.Account(FlightRecord(blame: .record, store: store, sentence: "")).partition
        }
        #expect(partition(.host) == Value?.none)
        #expect(partition(.partition(nil)) == Value?.some(.null))
    }

    @Test func `what is released leaves the crashes and the quarantine of others`() {
        var ledger = CrashLedger()
        let rules = SuperviseConfiguration(crashes: 1, minutes: 10, deaths: 9)
        for digest in ["0123456789abcdef", "0123456799abcdef", "fedcba9876543210"] {
            _ = ledger.note(crash(0, digest: digest), under: rules)
        }
        #expect(ledger.release("fedcba9") == [])
        #expect(ledger.release("FEDCBA98").map(\.digest) == ["fedcba9876543210"])
        #expect(ledger.crashes.count == 2)
        #expect(ledger.quarantined.count == 2)
        #expect(ledger.quarantine(of: "fedcba9876543210") == nil)
        #expect(ledger.quarantine(of: "0123456789abcdef")?.plugin == "orders")
        #expect(ledger.release("orders").count == 2)
    }

    @Test func `what is set aside is left out by its number or by its place, the first reason counts`() {
        var ledger = CrashLedger()
        let place = InputOrigin.Place(file: "in", line: 3, isReadAgain: true)
        ledger.setAside = [
            (7, nil, "a"), (7, nil, "b"), (nil, place, "c"), (nil, place, "d"), (8, place, "e"),
            (nil, nil, "f"),
        ].map { (number: UInt64?, place: InputOrigin.Place?, reason: String) in
            CrashLedger.SetAside(
                input: CrashLedger.Input(InputOrigin(number: number, place: place)), since: 0,
                reason: reason, type: nil)
        }
        #expect(ledger.setAsideNumbers == [7: "a", 8: "e"])
        #expect(ledger.setAsidePlaces == ["in:3": "c"])
        ledger.dismiss([7, 9])
        #expect(ledger.setAside.map(\.reason) == ["c", "d", "e", "f"])
        ledger.forgetPlaces()
        #expect(ledger.setAside.map(\.reason) == ["e"])
    }

    @Test func `in another run only inputs of the journal are the same`() {
        var ledger = CrashLedger()
        _ = ledger.note(crash(0, input: line(3)), under: rules)
        _ = ledger.note(crash(1, input: InputOrigin(number: 5, place: nil)), under: rules)
        ledger.forgetPlaces()
        #expect(ledger.crashes.map { $0.account?.input?.number } == [nil, 5])
        #expect(ledger.crashes.map { $0.account?.input == nil } == [true, false])
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

    @Test func `a change is written where it makes a difference, and told where it cannot be`() throws {
        let folder = try TemporaryFolder()
        let path = folder("crashes.json")
        let (crash, rules) = (crash(1, input: line(9)), rules)
        var told: [String] = []
        CrashLedgerFile(path: path).change({ told.append($0) }) { _ in ["nothing new"] }
        #expect(!FileSystem.exists(path))
        var full = DiskCalls.system
        full.write = { _, _, _, _ in 0 }
        for disk in [full, .system] {
            CrashLedgerFile(path: path, on: disk).change({ told.append($0) }) { known in
                known.note(crash, under: rules) + ["noted"]
            }
        }
        #expect(
            told == [
                "nothing new",
                "warning: \(path): the crash record cannot be written: No space left on device",
                "noted", "noted",
            ])
        #expect(CrashLedgerFile(path: path).read().ledger.crashes == [crash])
        CrashLedgerFile(path: path).change({ told.append($0) }, forgetsPlaces: true) { known in
            #expect(known.crashes.map { $0.account?.input == nil } == [true])
            return []
        }
        #expect(CrashLedgerFile(path: path).read().ledger.crashes == [crash])
        try folder.write("{", to: "crashes.json")
        CrashLedgerFile(path: path).change({ told.append($0) }) { _ in ["read"] }
        #expect(
            told.suffix(2) == [
                "warning: \(path): this is not a crash record of a host; it is kept as \(path).damaged, and nothing is in quarantine",
                "read",
            ])
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

    @Test func `an older host has counted no deaths`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            #"{"crashes":[{"time":1,"cause":"SIGILL"}],"quarantined":[],"setAside":[]}"#, to: "crashes.json")
        let (ledger, warning) = CrashLedgerFile(path: path).read()
        #expect(warning == nil)
        #expect(ledger.crashes == [CrashLedger.Crash(time: 1, cause: "SIGILL", account: nil)])
        #expect(ledger.deaths.isEmpty)
        #expect(FileSystem.exists(path))
    }

    @Test func `a file that cannot be read is told and left as it is`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.makeFolder("crashes.json")
        let (ledger, warning) = CrashLedgerFile(path: path).read()
        #expect(ledger == CrashLedger())
        #expect(warning?.hasPrefix("\(path): the crash record cannot be read: ") == true)
        #expect(FileSystem.isFolder(path))
    }

    @Test func `a file of 16 MiB is read, and no greater one`() throws {
        let folder = try TemporaryFolder()
        let text = #"{"crashes":[],"quarantined":[],"setAside":[],"deaths":{"eu":4}}"#
        let path = try folder.write(text + String(repeating: " ", count: 16 << 20 - text.utf8.count), to: "c")
        #expect(CrashLedgerFile(path: path).read().ledger.deaths == ["eu": 4])
        try folder.write(text + String(repeating: " ", count: 16 << 20 - text.utf8.count + 1), to: "c")
        let (ledger, warning) = CrashLedgerFile(path: path).read()
        #expect(ledger == CrashLedger())
        #expect(warning?.hasPrefix("\(path): the crash record cannot be read: ") == true)
    }

    @Test func `the file is a line beside the configuration, in folders that are made for it`() throws {
        let folder = try TemporaryFolder()
        let file = CrashLedgerFile(beside: folder.path)
        #expect(file.path == folder("data/host/crashes.json"))
        try file.write(CrashLedger())
        #expect(
            try folder.read("data/host/crashes.json")
                == #"{"crashes":[],"quarantined":[],"setAside":[],"deaths":{}}"# + "\n")
        let nowhere = CrashLedgerFile(path: folder("no/such/place/crashes.json"))
        #expect(throws: (any Error).self) { try nowhere.write(CrashLedger()) }
    }
}
