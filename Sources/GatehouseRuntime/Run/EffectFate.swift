// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehouseSDK

/// What becomes of an effect that an earlier run or another instance has left; `Generation` does it.
package enum EffectFate: Equatable {
    /// It is an instance's, as it is from here on, and begins when that may run.
    case inherited(JournalEffect)
    /// People are told that it was interrupted, and it has ended.
    case told
    /// Its action becomes a dead letter, for a reason, and it has ended.
    case buried(DeadLetter.Kind, String)

    /// Decides about an effect of an earlier run.
    ///
    /// - Parameters:
    ///   - heir: the id of the instance that takes over; nil for none.
    ///   - skipped: why inputs are skipped, by their numbers.
    package init(of effect: JournalEffect, for heir: String?, skipping skipped: [UInt64: String]) {
        if let reason = skipped[effect.input] {
            self = .buried(.setAside, reason)
            return
        }
        guard let heir else {
            self = Self.withoutHeir(effect)
            return
        }
        var effect = effect
        effect.attempt += 1
        effect.instance = heir
        self = .inherited(effect)
    }

    /// What becomes of an effect that nobody takes over.
    package static func withoutHeir(_ effect: JournalEffect) -> EffectFate {
        effect.recovery == .again
            ? .buried(
                .unfinished, "it had not ended, and no instance takes over from \(effect.instance)")
            : .told
    }

    /// Why an effect is not begun again whatever its instance is; nil where nothing speaks against it.
    package static func refusal(of effect: JournalEffect) -> String? {
        if effect.attempt > JournalEffect.mostAttempts {
            return "it was interrupted \(JournalEffect.mostAttempts) times, and is not begun again"
        }
        if effect.ends >= JournalEffect.mostEnds {
            return
                "\(JournalEffect.mostEnds) members ended while it was under way, and it is not begun again"
        }
        return effect.action == nil ? "the action that started it can no longer be read" : nil
    }

    /// Divides effects into those that begin again together, because one showing of their action begins them, and single ones that do not
    /// begin again.
    ///
    /// - Parameter effects: in the order of their beginning, each with the id of its instance.
    /// - Returns: them in the order in which the first of each began; of one action others can lie between, because the first
    ///   one has the number of what stood for all of it.
    package static func groups(of effects: [JournalEffect]) -> [[JournalEffect]] {
        var groups: [[JournalEffect]] = []
        var places: [Showing: Int] = [:]
        for effect in effects {
            let showing = Showing(instance: effect.instance, sequence: effect.sequence, key: effect.key)
            if effect.recovery != .again {
                groups.append([effect])
            } else if let place = places[showing] {
                groups[place].append(effect)
            } else {
                places[showing] = groups.count
                groups.append([effect])
            }
        }
        return groups
    }

    /// What effects have in common that one showing of their action begins.
    private struct Showing: Hashable {
        let instance: String, sequence: UInt64, key: String
    }
}
