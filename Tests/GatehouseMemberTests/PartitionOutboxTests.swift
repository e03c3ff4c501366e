// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseManifest
import GatehousePlanTesting
import GatehouseSDK
import Testing

@testable import GatehouseMember
@testable import GatehousePlan
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10))) struct PartitionOutboxTests {
    /// The outbox of partition 0 of 64, with a ledger and rules in it, and keys in `/account` where this pattern matches.
    private func outbox(_ pattern: String, _ urgency: PartitionUrgency = PartitionUrgency {}) throws
        -> PartitionOutbox
    {
        let keys = ActionKeys(
            ClusterConfiguration(
                engine: "redis://a", name: "a",
                keys: [.init(types: try #require(TypePattern(pattern)), place: try JSONPointer("/account"))]))
        let ledger = try PlanExample.instance(
            "ledger", consumes: ["transfer", "deposit"], emits: ["deposit", "told"])
        let rules = try PlanExample.instance("rules", consumes: ["*"], emits: ["*"])
        return PartitionOutbox(
            of: 0, epoch: 3, by: keys, emittedBy: [ledger, rules], urgency, report: { Issue.record("\($0)") })
    }

    /// What an instance emits, for an account that is not in partition 0.
    private func output(_ type: String, by instance: String) -> DispatchedAction<AnyAction> {
        DispatchedAction(
            AnyAction(ActionType(type), payload: ["account": "b"]),
            dispatcher: ActionSource(file: "", function: "", line: 0, info: nil).emitted(by: instance))
    }

    /// The partition of that account.
    private let elsewhere = PartitionHash.partition(of: "b", in: 64)

    @Test func `what a key says is for another partition waits for the checkpoint, in order`() throws {
        let urgency = PartitionUrgency {}
        let outbox = try outbox("ledger/*", urgency)
        #expect(elsewhere != 0)
        #expect(outbox.take(output("ledger/deposit", by: "ledger")))
        #expect(urgency.isRaised)
        #expect(outbox.take(output("ledger/told", by: "ledger")))
        let outputs = outbox.take()
        #expect(outputs.map(\.partition) == [elsewhere, elsewhere])
        #expect(outputs.map(\.origin.sequence) == [1, 2])
        #expect(outputs.allSatisfy { $0.origin.source == "0" && $0.origin.epoch == 3 })
        #expect(
            outputs.map { String(decoding: $0.action, as: UTF8.self) } == [
                #"{"type":"ledger/deposit","payload":{"account":"b"}}"#,
                #"{"type":"ledger/told","payload":{"account":"b"}}"#,
            ])
        #expect(outbox.take().isEmpty)
    }

    @Test func `what an instance says to itself stays where only a star gives it a key`() throws {
        let outbox = try outbox("*")
        #expect(!outbox.take(output("ledger/deposit", by: "ledger")))
        #expect(outbox.take(output("ledger/told", by: "ledger")), "it does not hear this")
        #expect(outbox.take(output("ledger/deposit", by: "rules")), "another one emits it")
        #expect(!outbox.take(output("ledger/deposit", by: "ledger")), "the first one again")
    }
}
