// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// What one rule knows: a number for each key, and what it has stopped.
struct Ledger: Codable, Sendable {
    /// For each key a moment in seconds since 1970, or a count; see `Measure`.
    private(set) var keys: [String: Double] = [:]
    /// The same for all keys together that came when there was no room.
    private(set) var other: Double?
    /// How often a key was forgotten before its time, or an action came whose key found no room.
    private(set) var forgotten = 0
    /// What the rule has stopped.
    var stopped = StoppedCounts()

    /// Keeps what is known of a key; a new one for which there is no room is counted as forgotten.
    mutating func keep(_ entry: Decision.Entry, atMost limit: Int) {
        guard let key = entry.key else {
            other = entry.value
            return forgotten.increment()
        }
        if keys.count < limit || keys[key] != nil {
            keys[key] = entry.value
        } else {
            forgotten.increment()
        }
    }

    /// Forgets keys whose moments are past, and where that is too few, those with the nearest moments.
    mutating func sweep(_ sweep: Sweep) {
        let before = keys.count
        keys = keys.filter { $0.value > sweep.until }
        let missing = min(sweep.atLeast - (before - keys.count), keys.count)
        guard missing > 0 else { return }
        // Equal moments are told apart by the keys, so that a journal forgets the same.
        let nearest = keys.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(missing)
        for (key, _) in nearest {
            keys[key] = nil
            forgotten.increment()
        }
    }
}

/// How many actions a rule has stopped: all, and those of the keys that it stops most.
struct StoppedCounts: Codable, Sendable {
    /// How many keys are counted apart.
    static let most = 100

    /// All of them.
    private(set) var total = 0
    /// Those of single keys.
    private(set) var byKey: [String: Int] = [:]
    /// Those of keys that are not counted apart.
    private(set) var other = 0

    /// Counts one action; where there is no room, the key with the smallest count joins the others.
    mutating func count(_ key: String) {
        total.increment()
        if byKey[key] == nil, byKey.count >= Self.most,
            let least = byKey.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
        {
            byKey[least.key] = nil
            other = other.addingReportingOverflow(least.value).overflow ? .max : other + least.value
        }
        byKey[key, default: 0].increment()
    }
}

extension Int {
    /// Adds one; a restored count may be as large as it gets, and a trap would end the host.
    fileprivate mutating func increment() { if self < .max { self += 1 } }
}
