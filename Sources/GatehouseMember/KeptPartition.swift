// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
package import GatehouseSDK

/// What the last checkpoint of a partition has, for whoever looks at it while no member runs; read without any plugin.
package struct KeptPartition {
    /// The whole state, with the slices of instances at their places.
    package let state: Value
    /// The effects that were under way, in the order in which they began.
    package let effects: [(instance: String, key: String)]
    /// The number of actions that an interceptor holds.
    package let held: Int

    /// Reads the slices of a checkpoint; nil where there is none.
    ///
    /// - Throws: the slice that no host writes, and what was expected there.
    package init?(_ slices: [String: [UInt8]]) throws(CodingFailure) {
        guard let saved = try PartitionSlices.saved(slices) else { return nil }
        var whole = saved.plain
        for (_, entry) in saved.entries.sorted(by: { $0.key < $1.key }) {
            if let state = entry.state { whole.set(state.value, at: entry.pointer) }
        }
        state = whole
        let log = try PartitionSlices.recordedLog(slices)
        effects = log.effects.map { ($0.instance, $0.key) }
        held = log.held.count
    }
}
