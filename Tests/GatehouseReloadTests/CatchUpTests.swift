// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a child is told that lets instances catch up, and what its end means.
@Suite(.timeLimit(.minutes(10))) struct CatchUpTests {
    /// What comes of a child that told these events and ended like this.
    private func result(
        _ events: HistoryEvent..., end: ChildEnd = .finished
    ) -> Result<[String: CaughtUp], Diagnostics> {
        let outcome = HostChild.Outcome(lines: events.map(\.line), end: end, words: "")
        return Result { () throws(Diagnostics) in try CatchUp.instances(of: outcome) }
    }

    /// What is said of a child that ended like this.
    private func refusal(_ events: HistoryEvent..., end: ChildEnd = .finished) -> String? {
        let outcome = HostChild.Outcome(lines: events.map(\.line), end: end, words: "")
        do {
            _ = try CatchUp.instances(of: outcome)
            return nil
        } catch {
            return error.all.map(\.sentence).joined()
        }
    }

    @Test func `a request comes to the child as it was`() throws {
        let source = HistorySource(
            path: "/p.json", isFolder: false, base: "/", journal: "/journal", isStrict: true)
        let request = CatchUpRequest(
            source: source,
            instances: [
                CatchUpRequest.Instance(
                    id: "a", state: VersionedState(version: 2, value: ["n": 1]), open: [3...5, 9...9],
                    missed: 4),
                CatchUpRequest.Instance(id: "b", state: nil, open: [], missed: 0),
            ])
        #expect(CatchUpRequest(bytes: request.bytes) == request)
        #expect(CatchUpRequest(bytes: Array("{}".utf8)) == nil)
    }

    @Test func `the states of those that have caught up come back`() throws {
        let caughtUp = CaughtUp(state: VersionedState(version: 2, value: ["n": 5]), count: 4)
        #expect(try result(.answer(["a": Value(encoding: caughtUp)]), .end).get() == ["a": caughtUp])
    }

    @Test func `what ends the child is told with the instance and the action`() {
        #expect(
            refusal(.step(sequence: 1_234, type: "orders/place", origin: "a"), end: .signal(4))
                == "catch-up: the child process that catches up died by SIGILL when a reduced action 1,234, orders/place, or soon after; the quarantine stays in force"
        )
    }

    @Test func `a child that gives up says why, and one that says nothing is told too`() {
        #expect(
            refusal(.failure(["the current configuration has no instance a; reload it first"]), .end)
                == "catch-up: the current configuration has no instance a; reload it first; the quarantine stays in force"
        )
        #expect(
            refusal(.end)
                == "catch-up: the child process that catches up reported nothing; the quarantine stays in force"
        )
    }

    /// It came to an empty answer, with which the library was released and its instances kept the state before.
    @Test(arguments: ["text", ["a": ["count": -1]], ["a": ["count": "2"]]] as [Value])
    func `an answer that no child writes is no answer`(_ answer: Value) {
        #expect(
            refusal(.answer(answer), .end)
                == "catch-up: the child process that catches up reported nothing; the quarantine stays in force"
        )
    }
}
