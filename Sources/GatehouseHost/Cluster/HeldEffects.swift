// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Effects of a partition's instances that begin after the checkpoint which says that they run.
///
/// `@unchecked Sendable`: touched in the drain of the partition's host only.
final class HeldEffects: @unchecked Sendable {
    /// An effect that has not begun its work.
    struct Held {
        /// The name of what the action has started.
        let name: EffectKeys.Name
        /// Begins the work.
        let begin: () -> Void
    }

    /// Holds the effects of one instance.
    private final class Hold: EffectHold {
        /// The id of the instance.
        private let instance: String
        /// Where they are held; gone with the partition.
        private weak let all: HeldEffects?

        /// A hold of an instance's effects.
        init(_ instance: String, in all: HeldEffects) {
            self.instance = instance
            self.all = all
        }

        func wait(_ begin: @escaping () -> Void) { all?.add(begin, of: instance) }
    }

    /// Gives names to what actions start.
    var keys: EffectKeys?
    /// Raised when something waits.
    private let urgency: PartitionUrgency
    /// In the order in which they came.
    private var waiting: [Held] = []

    /// Nothing held.
    init(_ urgency: PartitionUrgency) { self.urgency = urgency }

    /// Holds the effects of an instance.
    func hold(for instance: String) -> any EffectHold { Hold(instance, in: self) }

    /// Holds one.
    private func add(_ begin: @escaping () -> Void, of instance: String) {
        waiting.append(Held(name: keys?.name(for: instance) ?? EffectKeys.Name(key: nil), begin: begin))
        urgency.raise()
    }

    /// Hands over those that wait.
    func take() -> [Held] {
        defer { waiting = [] }
        return waiting
    }

    /// Begins effects.
    func begin(_ held: [Held]) {
        for effect in held {
            if let keys { keys.begin(as: effect.name, effect.begin) } else { effect.begin() }
        }
    }
}
