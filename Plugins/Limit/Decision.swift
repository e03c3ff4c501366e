// SPDX-License-Identifier: Apache-2.0

/// What a decision changes: what rules know of keys from then on, and who stopped the action.
struct Decision: Codable, Sendable {
    /// What one rule knows of one key.
    struct Entry: Codable, Sendable {
        /// The name of the rule.
        let rule: String
        /// The key; nil for all those together for which there is no room.
        let key: String?
        /// A moment in seconds since 1970, or a count; see `Measure`.
        let value: Double
    }

    /// The rule that stopped an action, and for which key.
    struct Stop: Codable, Sendable {
        /// The name of the rule.
        let rule: String
        /// The key of the action.
        let key: String
    }

    /// What rules know from then on.
    var kept: [Entry] = []
    /// Who stopped the action; nil when it passes.
    var stopped: Stop?
}

/// What is to be forgotten of a rule that is full.
struct Sweep: Codable, Sendable {
    /// The name of the rule.
    let rule: String
    /// The moment up to which moments are past, in seconds since 1970.
    let until: Double
    /// How many keys must go even if theirs are not: those with the nearest moments.
    let atLeast: Int
}
