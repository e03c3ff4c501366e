// SPDX-License-Identifier: Apache-2.0

/// The effect of a decision: the rules' new knowledge of keys, and the rule that stopped the action.
struct Decision: Codable, Sendable {
    /// One rule's knowledge of one key.
    struct Entry: Codable, Sendable {
        /// The name of the rule.
        let rule: String
        /// The key; nil for all keys together without room.
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

    /// The rules' new knowledge.
    var kept: [Entry] = []
    /// The rule that stopped the action; nil when it passes.
    var stopped: Stop?
}

/// The keys to forget in a full rule.
struct Sweep: Codable, Sendable {
    /// The name of the rule.
    let rule: String
    /// The moment up to which keys are forgotten, in seconds since 1970.
    let until: Double
    /// The number of keys that must go even if their moments are later: those with the nearest moments.
    let atLeast: Int
}
