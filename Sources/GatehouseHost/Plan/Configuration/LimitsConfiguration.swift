// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The key `limits`: how much one input may lead to, and how much may wait.
enum LimitsConfiguration {
    /// What an empty object stands for.
    static let defaults = DrainLimits(chain: 1_000, actions: 10_000, waiting: 100_000)

    /// The keys, each with the range it may have.
    enum Key: String, CaseIterable {
        case chain, actions, waiting

        /// At least 1, at most what fits into memory.
        var range: ClosedRange<Int> {
            switch self {
            case .chain: 1...1_000_000
            case .actions, .waiting: 1...100_000_000
            }
        }
    }

    /// Reads the value of `limits`; nil, with a report, if it is no object.
    static func read(_ node: LocatedNode) -> DrainLimits? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        let limit = { (key: Key, default: Int) in
            reader.value(key, default: `default`) { $0.integer(in: key.range) }
        }
        return DrainLimits(
            chain: limit(.chain, defaults.chain), actions: limit(.actions, defaults.actions),
            waiting: limit(.waiting, defaults.waiting))
    }
}
