// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseReload
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct HistoryRehearsalTests {
    /// What a child told and how it ended, as diagnostics; those that refuse begin with a mark.
    private func diagnostics(
        _ events: HistoryEvent..., end: ChildEnd = .finished, words: String = "", isStrict: Bool = false
    ) -> [String] {
        let outcome = HostChild.Outcome(lines: events.map(\.line), end: end, words: words)
        do throws(Diagnostics) {
            return try HistoryRehearsal.diagnostics(of: outcome, isStrict: isStrict).map(\.description)
        } catch {
            return error.all.map { "! \($0)" }
        }
    }

    /// An action that is dispatched next.
    private let step = HistoryEvent.step(sequence: 7, type: "till/sold", origin: "orders.ndjson:3")

    @Test func `nothing is said when all is the same`() {
        #expect(diagnostics(step, .outcome(isSame: true, lines: ["nothing differs"]), .end).isEmpty)
        #expect(diagnostics(step, .outcome(isSame: true, lines: []), .end, isStrict: true).isEmpty)
    }

    @Test func `what differs is a warning, and refuses a strict reload`() {
        let outcome = HistoryEvent.outcome(isSame: false, lines: ["actions 1 to 7", "1 action missing:"])
        let sentence = "rehearsal with history: actions 1 to 7\n  1 action missing:"
        #expect(diagnostics(step, outcome, .end) == [sentence])
        #expect(diagnostics(step, outcome, .end, isStrict: true) == ["! " + sentence])
    }

    @Test func `the end of the child refuses with the action it had in hand`() {
        #expect(
            diagnostics(step, step, end: .signal(SIGILL)) == [
                "! rehearsal with history: died by SIGILL at action 7, till/sold (orders.ndjson:3)"
            ])
        #expect(
            diagnostics(end: .hung(.seconds(10))) == [
                "! rehearsal with history: did not return within 10 s"
            ])
    }

    @Test func `what keeps it from being tried refuses`() {
        #expect(
            diagnostics(.failure(["plugins.json:1:2: no", "and this"]), .end) == [
                "! rehearsal with history: plugins.json:1:2: no\n  and this"
            ])
        #expect(diagnostics(.end) == ["! rehearsal with history: the child reported nothing"])
    }

    @Test func `events and jobs come back from what is told`() {
        let events = [
            step, .outcome(isSame: false, lines: ["a\nb", "ü"]), .failure(["\u{0}"]), .end,
        ]
        for event in events {
            #expect(!event.line.contains("\n"))
            #expect(HistoryEvent(line: event.line[...]) == event)
        }
        for line in ["", "words of a plugin", "{", #"{"step":-1}"#, #"{"steps":1}"#] {
            #expect(HistoryEvent(line: line[...]) == nil)
        }
        let request = HistoryRequest(
            source: HistorySource(
                path: "plugins.json", isFolder: false, base: ".", journal: "journal", isStrict: true),
            count: 100, last: 12, state: ["a": [1, nil]])
        #expect(HistoryRequest(bytes: request.bytes) == request)
        #expect(HistoryRequest(bytes: Array("{}".utf8)) == nil)
    }
}
