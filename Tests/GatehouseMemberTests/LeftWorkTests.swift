// SPDX-License-Identifier: Apache-2.0

import GatehouseControl
import GatehouseJournal
import GatehouseSDK
import Testing

@testable import GatehouseMember
@testable import GatehouseRuntime

/// What an operator reads of work that partitions leave to their next owners.
struct LeftWorkTests {
    /// An effect that is recorded.
    private func effect(of instance: String, _ recovery: EffectRecovery = .again) -> JournalEffect {
        JournalEffect(number: 1, instance: instance, sequence: 1, recovery: recovery, key: "shop.0/1")
    }

    /// The parts of a partition.
    private func parts(
        _ effects: [JournalEffect], inputs: Int = 0, overdue: [UnfinishedWork] = []
    ) -> [LeftWork.Part] {
        let held = (0..<inputs).map { CheckpointLog.OpenInput(number: UInt64($0), action: AnyAction("a/b")) }
        return LeftWork.parts(recorded: (held, effects, 1), overdue)
    }

    @Test func `what is recorded begins again or is reported, and what is not recorded is lost`() {
        let found = parts(
            [effect(of: "mail"), effect(of: "mail"), effect(of: "courier", .tell)],
            overdue: [
                UnfinishedWork(instance: "mail", count: 2), UnfinishedWork(instance: "probe", count: 1),
            ])
        #expect(
            found == [
                .init(work: UnfinishedWork(instance: "courier", count: 1), fate: .told),
                .init(work: UnfinishedWork(instance: "mail", count: 2), fate: .again),
                .init(work: UnfinishedWork(instance: "probe", count: 1), fate: .lost),
            ])
        #expect(parts([]) == [])
    }

    @Test func `each kind of it is counted for the member`() {
        var effects = LeftEffects()
        let found = parts(
            [effect(of: "mail"), effect(of: "courier", .tell)], inputs: 3,
            overdue: [UnfinishedWork(instance: "probe", count: 2)])
        for part in found { part.count(in: &effects) }
        #expect((effects.again, effects.told, effects.lost, effects.taken) == (4, 1, 2, 0))
    }

    @Test func `work of several partitions that end together is told once`() {
        var left = LeftWork()
        left.add(parts([effect(of: "mail"), effect(of: "mail")]))
        left.add(parts([effect(of: "mail")], inputs: 2))
        left.add(
            parts([effect(of: "courier", .tell)], overdue: [UnfinishedWork(instance: "probe", count: 2)]))
        #expect(
            left.take().map(\.description) == [
                "cluster: 2 delayed actions had not finished when 1 partition ended here; the next owner begins them again",
                "cluster: 1 effect of courier had not finished when 1 partition ended here; the next owner reports it by host/effect/interrupted",
                "cluster: 3 effects of mail had not finished when 2 partitions ended here; the next owners begin them again",
                "cluster: 2 effects of probe had not finished when 1 partition ended here; they are lost, because the plugin does not let the host record them",
            ])
        #expect(left.take() == [])
    }

    @Test func `partitions that a member keeps to its end are told with who resumes them`() {
        #expect(
            ClusterNotice.kept(1).description
                == "cluster: 1 partition could not be handed over in time; its next owner resumes from the last checkpoint when the lease of this member is over"
        )
        #expect(
            ClusterNotice.kept(3).description
                == "cluster: 3 partitions could not be handed over in time; their next owners resume from the last checkpoint when the lease of this member is over"
        )
    }
}
