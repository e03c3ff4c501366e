// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseHost
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct HistoryRehearsalTests {
    /// What a child told and how it ended, as findings; those that refuse begin with a mark.
    private func findings(
        _ messages: HistoryMessage..., end: ChildEnd = .finished, words: String = "", isStrict: Bool = false
    ) -> [String] {
        let outcome = HostChild.Outcome(lines: messages.map(\.line), end: end, words: words)
        do throws(Findings) {
            return try HistoryRehearsal.findings(of: outcome, isStrict: isStrict).map(\.description)
        } catch {
            return error.all.map { "! \($0)" }
        }
    }

    /// An action that is dispatched next.
    private let step = HistoryMessage.step(sequence: 7, type: "till/sold", origin: "orders.ndjson:3")

    @Test func `nothing is said when all is the same`() {
        #expect(findings(step, .outcome(isSame: true, lines: ["nothing differs"]), .end).isEmpty)
        #expect(findings(step, .outcome(isSame: true, lines: []), .end, isStrict: true).isEmpty)
    }

    @Test func `what differs is a warning, and refuses a strict reload`() {
        let outcome = HistoryMessage.outcome(isSame: false, lines: ["actions 1 to 7", "1 action missing:"])
        let sentence = "rehearsal with history: actions 1 to 7\n  1 action missing:"
        #expect(findings(step, outcome, .end) == [sentence])
        #expect(findings(step, outcome, .end, isStrict: true) == ["! " + sentence])
    }

    @Test func `the end of the child refuses with the action it had in hand`() {
        #expect(
            findings(step, step, end: .signal(SIGILL)) == [
                "! rehearsal with history: died by SIGILL at action 7, till/sold (orders.ndjson:3)"
            ])
        #expect(
            findings(end: .hung(.seconds(10))) == [
                "! rehearsal with history: did not return within 10 s"
            ])
    }

    @Test func `what keeps it from being tried refuses`() {
        #expect(
            findings(.failure(["plugins.json:1:2: no", "and this"]), .end) == [
                "! rehearsal with history: plugins.json:1:2: no\n  and this"
            ])
        #expect(findings(.end) == ["! rehearsal with history: the child reported nothing"])
    }

    @Test func `messages and jobs come back from what is told`() {
        let messages = [
            step, .outcome(isSame: false, lines: ["a\nb", "ü"]), .failure(["\u{0}"]), .end,
        ]
        for message in messages {
            #expect(!message.line.contains("\n"))
            #expect(HistoryMessage(line: message.line[...]) == message)
        }
        for line in ["", "words of a plugin", "{", #"{"step":-1}"#, #"{"steps":1}"#] {
            #expect(HistoryMessage(line: line[...]) == nil)
        }
        let job = HistoryJob(
            source: HistorySource(
                path: "plugins.json", isFolder: false, base: ".", journal: "journal", isStrict: true),
            count: 100, last: 12, state: ["a": [1, nil]])
        #expect(HistoryJob(bytes: job.bytes) == job)
        #expect(HistoryJob(bytes: Array("{}".utf8)) == nil)
    }
}
