// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One rule's knowledge: a number for each key, and counts of stopped actions.
struct Ledger: Codable, Sendable {
    /// For each key a moment in seconds since 1970, or a count; see `Measure`.
    private(set) var keys: [String: Double] = [:]
    /// The same for all keys together that came without room.
    private(set) var other: Double?
    /// The number of keys forgotten before their time, and of actions whose key found no room.
    private(set) var forgotten = 0
    /// The counts of stopped actions.
    var stopped = StoppedCounts()

    /// Keeps an entry for a key; counts a new one without room as forgotten.
    mutating func keep(_ entry: Decision.Entry, atMost limit: Int) {
        guard let key = entry.key else {
            other = entry.value
            return forgotten.saturatingAdd(1)
        }
        if keys.count < limit || keys[key] != nil {
            keys[key] = entry.value
        } else {
            forgotten.saturatingAdd(1)
        }
    }

    /// Forgets keys whose moments are past, and if these are too few, those with the nearest moments.
    mutating func sweep(_ sweep: Sweep) {
        let before = keys.count
        keys = keys.filter { $0.value > sweep.until }
        let missing = min(sweep.atLeast - (before - keys.count), keys.count)
        guard missing > 0 else { return }
        // Order equal moments by key, so that a journal forgets the same.
        let nearest = keys.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(missing)
        for (key, _) in nearest {
            keys[key] = nil
            forgotten.saturatingAdd(1)
        }
    }
}

/// The number of actions that a rule has stopped: in all, and for the most stopped keys.
struct StoppedCounts: Codable, Sendable {
    /// The most keys with their own counts.
    static let most = 100

    /// The count of all.
    private(set) var total = 0
    /// The counts of single keys.
    private(set) var byKey: [String: Int] = [:]
    /// The count of all other keys.
    private(set) var other = 0

    /// Counts one action; without room, the key with the smallest count joins the others.
    mutating func count(_ key: String) {
        total.saturatingAdd(1)
        if byKey[key] == nil, byKey.count >= Self.most,
            let least = byKey.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
        {
            byKey[least.key] = nil
            other.saturatingAdd(least.value)
        }
        byKey[key, default: 0].saturatingAdd(1)
    }
}
