// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan

/// The deaths of processes that count against an instance in a worker, or against several that share one and cannot be told apart, and what
/// follows from another death: the rules alone, without a process.
package struct DeathCount {
    /// What the rules need to know of a death.
    package struct Facts {
        /// Whether somebody outside of the process may have ended it, whatever it did.
        package let isChance: Bool
        /// The number of the action that it processed; nil where it processed none, or where that is not known.
        package let sequence: UInt64?
        /// Whether its drain had called code of the plugin, or it was making its instances.
        package let wasInPlugin: Bool

        /// Facts of a death.
        package init(isChance: Bool, sequence: UInt64?, wasInPlugin: Bool) {
            (self.isChance, self.sequence, self.wasInPlugin) = (isChance, sequence, wasInPlugin)
        }

        /// Whether it may have died of an effect: what dies at its start, or in other code of its plugin that the drain has called, did not.
        package var isOfEffect: Bool { sequence == nil && !wasInPlugin && !isChance }
    }

    /// What follows from a death.
    package enum Consequence: Equatable {
        /// Another process goes on.
        case goOn
        /// Another process goes on without an action, which has ended as many as it may.
        case leaveOut(UInt64)
        /// No other process is started.
        case giveUp
    }

    /// So often the same action rules out that kills from outside hit it by chance.
    private static let chances = 3
    /// So many actions are remembered at which processes have died.
    private static let mostTries = 1_000

    /// When processes have died, as far as that is not too long ago.
    private var moments: [ContinuousClock.Instant] = []
    /// How often processes have died by an action, by its number.
    private var tries: [UInt64: Int] = [:]

    /// No deaths.
    package init() {}

    /// Counts a death.
    ///
    /// One by chance counts only when the action in hand was the same three times, or as often as the rules allow if that is more.
    package mutating func note(
        _ facts: Facts, at now: ContinuousClock.Instant, under rules: SuperviseConfiguration
    ) -> Consequence {
        let tried = triedTooOften(facts, under: rules)
        moments.removeAll { $0.duration(to: now) >= .seconds(60 * rules.minutes) }
        if !facts.isChance || tried != nil { moments.append(now) }
        guard moments.count < rules.crashes else { return .giveUp }
        guard let tried else { return .goOn }
        tries[tried] = nil
        return .leaveOut(tried)
    }

    /// Counts a death by the action in hand, and gives its number if it has ended as many processes as it may.
    private mutating func triedTooOften(_ facts: Facts, under rules: SuperviseConfiguration) -> UInt64? {
        guard let sequence = facts.sequence else { return nil }
        let count = tries[sequence, default: 0] + 1
        if tries.count >= Self.mostTries { tries = [:] }
        tries[sequence] = count
        return count >= (facts.isChance ? max(rules.deaths, Self.chances) : rules.deaths) ? sequence : nil
    }
}
