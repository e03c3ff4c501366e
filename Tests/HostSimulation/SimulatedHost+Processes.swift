// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime

// The processes of a simulated host's workers, which clerk and scribe may share, and what follows from their deaths; the rules are the real
// ones.
extension SimulatedHost {
    /// What ends a process.
    enum Cause {
        /// Somebody outside, whatever was in hand.
        case outside
        /// An action; nil for the one in hand, if there is one.
        case action(UInt64?)
        /// An effect, or nobody knows what.
        case effect
    }

    /// Lets each worker do all that it was given, tell it, and have it taken and done.
    func driveWorkers(endingEffects ends: Bool) {
        for clerk in clerks { clerk.driveWorker(endingEffects: ends) }
    }

    /// Lets the process of an instance die, and decides what that means for all that share it, as a real group of instances does.
    ///
    /// - Parameter isKnown: whether it can be told whose doing it was where several share it.
    func endWorker(of clerk: SimulatedClerk, by cause: Cause, isKnown: Bool) {
        guard let members = members(with: clerk), let link = clerk.link else { return }
        let inHand = link.inHand
        let facts: DeathCount.Facts =
            switch cause {
            case .outside: DeathCount.Facts(isChance: true, sequence: inHand, wasInPlugin: inHand != nil)
            case .action(let sequence):
                DeathCount.Facts(isChance: false, sequence: sequence ?? inHand, wasInPlugin: true)
            case .effect: DeathCount.Facts(isChance: false, sequence: nil, wasInPlugin: false)
            }
        isKnown || members.count == 1
            ? settle(facts, by: clerk, members) : settle(facts, byOneOf: members)
    }

    /// Gives an instance up, whose process dies with all that share it.
    func giveUp(_ clerk: SimulatedClerk) {
        guard let members = members(with: clerk) else { return }
        goOn(members, without: [clerk])
    }

    /// Settles a death that is one instance's doing.
    private func settle(
        _ facts: DeathCount.Facts, by clerk: SimulatedClerk, _ members: [SimulatedClerk]
    ) {
        guard let link = clerk.link else { return }
        if let sequence = facts.sequence {
            coverage.count("deaths of workers with an action in hand")
            // It is left out, or kills from outside have hit it by chance.
            let count = link.count(deathBy: sequence)
            if count > max(rules.deaths, 3) {
                faults.append("action \(sequence) has ended \(count) processes of one worker")
            }
        }
        if defect == .forgottenDeaths { link.deaths = DeathCount() }
        let consequence = link.deaths.note(facts, at: terms.options.instant(), under: rules)
        guard consequence != .giveUp else {
            coverage.count("workers given up after too many deaths")
            return goOn(members, without: [clerk])
        }
        var left: [UInt64] = []
        if case .leaveOut(let sequence) = consequence { left.append(sequence) }
        if facts.isOfEffect, let sequence = link.blameEffects(atMost: rules.deaths) { left.append(sequence) }
        goOn(members, by: clerk, leavingOut: left, of: clerk)
    }

    /// Settles a death of which nobody knows whose doing it was.
    private func settle(_ facts: DeathCount.Facts, byOneOf members: [SimulatedClerk]) {
        coverage.count("deaths of processes that two instances shared and either may have ended")
        let facts = DeathCount.Facts(
            isChance: facts.isChance, sequence: nil, wasInPlugin: facts.wasInPlugin)
        guard unexplained.note(facts, at: terms.options.instant(), under: rules) != .giveUp else {
            return goOn(members, without: members)
        }
        guard facts.isOfEffect,
            let (index, sequence) = WorkerBlame.effect(
                among: members.map { $0.link?.suspectEffects(atMost: rules.deaths) })
        else { return goOn(members) }
        goOn(members, leavingOut: [sequence], of: members[index])
    }

    /// The instances of a process that runs, the one that is meant first, when all that they have told is taken; nil where none runs.
    private func members(with clerk: SimulatedClerk) -> [SimulatedClerk]? {
        guard clerk.link?.isOut == false else { return nil }
        let others = clerks.filter { isShared && $0 !== clerk && $0.link?.isOut == false }
        coverage.count("deaths of processes that two instances shared", UInt64(others.count))
        let members = [clerk] + others
        for member in members {
            while member.takeFromWorker() {}
            if member.link?.worker.isInMessage == true {
                coverage.count("deaths of workers in the midst of a message")
            }
        }
        coverage.count("deaths of workers", UInt64(members.count))
        return members
    }

    /// Lets other processes go on for instances of one that is over, but for those that are given up.
    private func goOn(
        _ members: [SimulatedClerk], without givenUp: [SimulatedClerk] = [],
        by culprit: SimulatedClerk? = nil, leavingOut sequences: [UInt64] = [],
        of blamed: SimulatedClerk? = nil
    ) {
        for member in members {
            if givenUp.contains(where: { $0 === member }) {
                member.giveUp()
            } else {
                member.endWorker(
                    isOthersDoing: culprit != nil && culprit !== member,
                    leavingOut: blamed === member ? sequences : [])
            }
        }
    }
}
