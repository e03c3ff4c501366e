// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The key `limits`: how much one input may lead to, how much may wait, and how long a plugin may take to be tried.
package struct LimitsConfiguration: Equatable, Sendable {
    /// How many actions one input may lead to synchronously, each in answer to the one before.
    var chain: Int
    /// How many actions one input may lead to synchronously altogether.
    var actions: Int
    /// How many bytes of payloads one input may lead to synchronously altogether, as JSON.
    var bytes: Int
    /// How many actions may wait.
    var waiting: Int
    /// How long one step of a rehearsal may take, in seconds.
    package var rehearsal: Int

    /// Limits; what is left out has its default.
    init(
        chain: Int = 1_000, actions: Int = 10_000, bytes: Int = 1 << 28, waiting: Int = 100_000,
        rehearsal: Int = 10
    ) {
        self.chain = chain
        self.actions = actions
        self.bytes = bytes
        self.waiting = waiting
        self.rehearsal = rehearsal
    }

    /// Those that a drain keeps.
    package var drain: DrainLimits {
        DrainLimits(chain: chain, actions: actions, bytes: bytes, waiting: waiting)
    }

    /// The keys, each with the range it may have.
    enum Key: String, CaseIterable {
        case chain, actions, bytes, waiting, rehearsal

        /// At least 1, or 1 KiB, at most what fits into memory, or an hour.
        var range: ClosedRange<Int> {
            switch self {
            case .chain: 1...1_000_000
            case .actions, .waiting: 1...100_000_000
            case .bytes: 1_024...1 << 40
            case .rehearsal: 1...3_600
            }
        }
    }

    /// Reads the value of `limits`; nil, with a report, if it is no object.
    static func read(_ node: LocatedNode) -> LimitsConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let defaults = LimitsConfiguration()
        let limit = { (key: Key, default: Int) in
            reader.value(key, default: `default`) { $0.integer(in: key.range) }
        }
        return LimitsConfiguration(
            chain: limit(.chain, defaults.chain), actions: limit(.actions, defaults.actions),
            bytes: limit(.bytes, defaults.bytes), waiting: limit(.waiting, defaults.waiting),
            rehearsal: limit(.rehearsal, defaults.rehearsal))
    }
}
