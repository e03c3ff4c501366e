// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK

/// Effects of a partition's instances, held until after the checkpoint that records them as running.
///
/// `@unchecked Sendable`: touched in the drain of the partition's host only.
final class HeldEffects: @unchecked Sendable {
    /// An effect that has not started.
    struct Held {
        /// The name under which the effect starts.
        let name: EffectKeys.Name
        /// Starts the effect.
        let begin: () -> Void
    }

    /// Holds the effects of one instance.
    private final class Hold: EffectHold {
        /// The id of the instance.
        private let instance: String
        /// The collection; nil once the partition is gone.
        private weak let all: HeldEffects?

        /// Creates the hold for an instance.
        init(_ instance: String, in all: HeldEffects) {
            self.instance = instance
            self.all = all
        }

        func wait(_ begin: @escaping () -> Void) { all?.add(begin, of: instance) }
    }

    /// Names the effects that actions start.
    var keys: EffectKeys?
    /// Raised when an effect waits.
    private let urgency: PartitionUrgency
    /// The held effects, in order of arrival.
    private var waiting: [Held] = []

    /// Creates an empty collection.
    init(_ urgency: PartitionUrgency) { self.urgency = urgency }

    /// Returns a hold for the effects of an instance.
    func hold(for instance: String) -> any EffectHold { Hold(instance, in: self) }

    /// Holds an effect.
    private func add(_ begin: @escaping () -> Void, of instance: String) {
        waiting.append(Held(name: keys?.name(for: instance) ?? EffectKeys.Name(key: nil), begin: begin))
        urgency.raise()
    }

    /// Takes the held effects.
    func take() -> [Held] {
        defer { waiting = [] }
        return waiting
    }

    /// Starts effects.
    func begin(_ held: [Held]) {
        for effect in held {
            if let keys { keys.begin(as: effect.name, effect.begin) } else { effect.begin() }
        }
    }
}
