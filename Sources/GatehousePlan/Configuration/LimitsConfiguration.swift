// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The key `limits`: how much one input may lead to, how much may wait, how long a plugin may take to be tried, and how much
/// of the machine a worker may take.
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
    /// How many MiB of memory a worker may take; 0 for any number.
    package var memory = 4_096
    /// How many hundredths of the time of one processor a worker may take; 0 for any. Workers are refused where nothing can bound it.
    package var cpu = 0
    /// Whether workers are refused that cannot have a control group of their own.
    package var groups = false

    /// Those that a drain keeps.
    package var drain: DrainLimits {
        DrainLimits(chain: chain, actions: actions, bytes: bytes, waiting: waiting)
    }

    /// The keys, each with the range it may have.
    enum Key: String, CaseIterable {
        case chain, actions, bytes, waiting, rehearsal, memory, cpu, groups

        /// At least 1, 1 KiB or nothing, at most what fits into memory, an hour, a TiB, or a thousand processors; nil for a key that is
        /// true or false.
        var range: ClosedRange<Int>? {
            switch self {
            case .chain: 1...1_000_000
            case .actions, .waiting: 1...100_000_000
            case .bytes: 1_024...1 << 40
            case .rehearsal: 1...3_600
            case .memory: 0...1_048_576
            case .cpu: 0...100_000
            case .groups: nil
            }
        }
    }

    /// Reads the value of `limits`; nil, with a report, if it is no object.
    static func read(_ node: LocatedNode) -> LimitsConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        var limits = LimitsConfiguration()
        func set(_ limit: inout Int, to key: Key) {
            guard let range = key.range else { return }
            reader.set(&limit, to: key) { $0.integer(in: range) }
        }
        set(&limits.chain, to: .chain)
        set(&limits.actions, to: .actions)
        set(&limits.bytes, to: .bytes)
        set(&limits.waiting, to: .waiting)
        set(&limits.rehearsal, to: .rehearsal)
        set(&limits.memory, to: .memory)
        set(&limits.cpu, to: .cpu)
        reader.set(&limits.groups, to: .groups) { $0.bool() }
        return limits
    }
}
