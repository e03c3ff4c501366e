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

    /// How many of the first of some effects begin again together, because one showing of their action begins them; 0 where the first one
    /// does not begin again.
    ///
    /// - Parameter effects: in the order of their beginning, each with the id of its instance.
    package static func together(_ effects: some Collection<JournalEffect>) -> Int {
        guard let first = effects.first else { return 0 }
        return effects.prefix {
            $0.recovery == .again && $0.instance == first.instance && $0.sequence == first.sequence
                && $0.key == first.key
        }.count
    }
}
