// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The key `limits`: how much one input may lead to, how much may wait, and how long a plugin may take to be tried.
package struct LimitsConfiguration: Equatable, Sendable {
    /// How many actions one input may lead to synchronously, each in answer to the one before.
    var chain = 1_000
    /// How many actions one input may lead to synchronously altogether.
    var actions = 10_000
    /// How many bytes of payloads one input may lead to synchronously altogether, as JSON.
    var bytes = 1 << 28
    /// How many actions may wait.
    var waiting = 100_000
    /// How long one step of a rehearsal may take, in seconds.
    package var rehearsal = 10

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
        var limits = LimitsConfiguration()
        func set(_ limit: inout Int, to key: Key) {
            reader.set(&limit, to: key) { $0.integer(in: key.range) }
        }
        set(&limits.chain, to: .chain)
        set(&limits.actions, to: .actions)
        set(&limits.bytes, to: .bytes)
        set(&limits.waiting, to: .waiting)
        set(&limits.rehearsal, to: .rehearsal)
        return limits
    }
}
