// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSupport
private import Synchronization

// What follows from the end of a process, on the thread that starts them.
extension WorkerGroup {
    /// Decides whose doing an end was, and what it means for each instance; the next process is for those that are left.
    func settle(_ outcome: HostChild.Outcome, _ life: WorkerLife, _ members: [WorkerLink]) {
        let making = content.withLock { content in content.making.take()?.link }
        let objections = members.map { link in link.traffic.withLock { $0.objection.take() } }
        let objected = objections.firstIndex { $0 != nil }
        // Whoever has stopped it without a reason has ended, or all have.
        if outcome.end == .stopped, objected == nil { return }
        let (recorder, images) = (life.flightRecorder, life.shares.map(\.image))
        let blame = WorkerBlame(
            members.map(\.id),
            by: WorkerBlame.Traces(
                objected: objected, making: members.firstIndex { $0 === making },
                record: recorder.death ?? recorder.lastActivity,
                callees: WorkerDeath.callees(in: outcome.words, among: images))
        ) { recorder.lastActivity(ofPartition: $0) }
        let death = WorkerDeath(
            outcome, objection: objected.flatMap { objections[$0] }, record: blame.record,
            isAtStart: making != nil, program: life.program, images: images)
        let suspects = blame.suspects.map { members[$0] }
        for link in members where link.hasBegun { link.traffic.withLock { $0.deaths += 1 } }
        if suspects.count == 1 {
            settle(death, by: suspects[0])
        } else {
            settle(death, byOneOf: suspects)
        }
        for link in members where !suspects.contains(where: { $0 === link }) {
            link.note(endBy: suspects.map(\.id), of: name ?? link.id)
        }
    }

    /// Settles a death that is one instance's doing.
    private func settle(_ death: WorkerDeath, by link: WorkerLink) {
        guard !link.isOut else { return }
        if link.hasBegun { link.note(death) } else { link.giveUpBeginning(death) }
    }

    /// Settles a death of which nobody knows whose doing it was: it counts for all that may have done it, and no library goes into
    /// quarantine for it.
    private func settle(_ death: WorkerDeath, byOneOf suspects: [WorkerLink]) {
        let present = suspects.filter { !$0.isOut }
        let begun = present.filter(\.hasBegun)
        for link in present where !link.hasBegun { link.giveUpBeginning(death) }
        let consequence = content.withLock { $0.unexplained.note(death.facts, at: .now, under: rules) }
        guard consequence != .giveUp else {
            for link in begun {
                link.giveUp(
                    "its worker \(death.text), \(rules.times), by \(suspects.map(\.id).joined(separator: " or "))\(death.words)",
                    calls: link === begun.first ? death.calls : [])
            }
            return
        }
        for link in begun { link.report(death, calls: link === begun.first) }
        guard death.facts.isOfEffect else { return }
        let effects = begun.map { link in
            link.traffic.withLock { $0.suspectEffects(atMost: rules.deaths) }
        }
        if let (index, sequence) = WorkerBlame.effect(among: effects) {
            begun[index].leaveOut(effectsOf: sequence)
        }
    }
}

extension SuperviseConfiguration {
    /// How many deaths are too many, as the end of a sentence.
    var times: String { (crashes == 1 ? "once" : "\(crashes) times") + " within \(minutes) min" }
}
