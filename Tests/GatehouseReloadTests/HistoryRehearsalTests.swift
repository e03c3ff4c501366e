// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseControl
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct HistoryRehearsalTests {
    /// What a child told and how it ended, as diagnostics; those that refuse begin with a mark.
    private func diagnostics(
        _ events: HistoryEvent..., end: ChildEnd = .finished, record: FlightRecord? = nil,
        isStrict: Bool = false
    ) -> [String] {
        let outcome = HostChild.Outcome(lines: events.map(\.line), end: end)
        do throws(Diagnostics) {
            let value: Value
            do throws(ConfinedTrial.Failure) {
                value = try ConfinedTrial.value(in: outcome, record, of: Self.plan())
            } catch .death(let lines), .refusal(let lines) {
                return ["! " + lines.joined(separator: "\n")]
            } catch {
                return ["stopped"]
            }
            return try HistoryRehearsal.diagnostics(of: value, isStrict: isStrict).map(\.description)
        } catch {
            return error.all.map { "! \($0)" }
        }
    }

    /// A plan without instances.
    private static func plan() -> HostPlan {
        Planner(trust: FileTrust(isStrict: false), baseDirectory: ".").plan(
            ConfigurationParser.parse(Array("{}".utf8), file: "plugins.json"))
    }

    /// The progress of a child.
    private let step = HistoryEvent.progress(done: 7, total: 12)

    @Test func `nothing is said when all is the same`() {
        let outcome = HistoryEvent.answer(["same": true, "text": "nothing differs"])
        #expect(diagnostics(step, outcome, .end).isEmpty)
        #expect(diagnostics(step, outcome, .end, isStrict: true).isEmpty)
    }

    @Test func `what differs is a warning, and refuses a strict reload`() {
        let outcome = HistoryEvent.answer(["same": false, "text": "actions 1 to 7\n1 action missing:"])
        let sentence = "rehearsal with history: actions 1 to 7\n  1 action missing:"
        #expect(diagnostics(step, outcome, .end) == [sentence])
        #expect(diagnostics(step, outcome, .end, isStrict: true) == ["! " + sentence])
    }

    @Test func `the end of the child refuses with the action it had in hand`() {
        var record = FlightRecord(blame: .record, store: .host, sentence: "")
        record.input = InputOrigin(number: 7, place: nil)
        (record.type, record.instance) = ("till/sold", "till")
        #expect(
            diagnostics(step, step, end: .signal(SIGILL), record: record) == [
                "! died by SIGILL at action 7, till/sold in till"
            ])
        #expect(diagnostics(end: .hung(.seconds(10))) == ["! did not return within 10 s"])
        #expect(diagnostics(end: .stopped) == ["stopped"])
    }

    @Test func `what keeps it from being tried refuses`() {
        #expect(
            diagnostics(.failure(["plugins.json:1:2: no", "and this"]), .end) == [
                "! plugins.json:1:2: no\nand this"
            ])
        #expect(diagnostics(.end) == ["! the child reported nothing"])
    }

    @Test
    func `a child that tries a candidate reads what the workers may that run, and those that are to come`() {
        let access = ConfinedTrial(
            source: HistorySource(
                path: "/next.json", isFolder: false, base: "/base", journal: "/journal", isStrict: true),
            plan: Self.plan(), running: [], library: "/candidate/libNew.so", extent: TrialExtent(),
            limit: .seconds(1)
        ).access
        #expect(access.changed == [])
        for path in ["/next.json", "/journal", "/candidate"] {
            #expect(access.read?.contains(path) == true, "\(path)")
        }
        #expect(access.read?.contains("/") == false)
    }

    @Test func `events and jobs come back from what is told`() {
        let events = [
            step, .answer(["text": "a\nb", "ü": 1]), .failure(["\u{0}"]), .end,
        ]
        for event in events {
            #expect(!event.line.contains("\n"))
            #expect(HistoryEvent(line: event.line[...]) == event)
        }
        for line in ["", "words of a plugin", "{", #"{"step":-1}"#, #"{"steps":1}"#] {
            #expect(HistoryEvent(line: line[...]) == nil)
        }
        let request = TrialRequest(
            source: HistorySource(
                path: "plugins.json", isFolder: false, base: ".", journal: "journal", isStrict: true),
            flightRecorder: 5,
            work: .trial(
                TrialRequest.Terms(
                    library: "libNew.so", extent: TrialExtent(to: 12, last: 100, since: 0.5),
                    countsInstructions: true, isParallel: false)))
        #expect(TrialRequest(bytes: request.bytes) == request)
        #expect(TrialRequest(bytes: Array("{}".utf8)) == nil)
    }
}
