// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The local types of the plugin's own actions, which no rule is about.
enum OwnAction {
    /// Carries a decision into the state; applied only.
    static let decided: ActionType = "decided"
    /// Forgets keys of which nothing more need be known; applied only.
    static let swept: ActionType = "swept"
    /// Tells that an action was stopped.
    static let stopped: ActionType = "stopped"
    /// Begins a time of quiet for an action that waits.
    static let held: ActionType = "held"
    /// Ends a time of quiet.
    static let due: ActionType = "due"
    /// Lets everything pass that waits, because the run ends.
    static let released: ActionType = "released"

    /// All of them.
    static let all: Set<ActionType> = [decided, swept, stopped, held, due, released]
}

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
    /// When it is worth looking again for keys whose moments are past.
    let next: Double
}

/// One key of one rule, for which an action waits.
struct Wait: Codable, Hashable, Sendable {
    /// The name of the rule.
    let rule: String
    /// The key of the action.
    let key: String
    /// How long it must be quiet, in seconds; from settings, or bounded by `init(from:)`.
    let quiet: Double

    /// A wait that an interceptor begins.
    init(rule: String, key: String, quiet: Double) {
        self.rule = rule
        self.key = key
        self.quiet = quiet
    }

    /// Reads a wait; anybody may have written it, so its time is bounded.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        rule = try container.decode(String.self, forKey: .rule)
        key = try container.decode(String.self, forKey: .key)
        quiet = min(max(try container.decode(Double.self, forKey: .quiet), 0), Seconds.longest)
    }

    /// The wait as a payload.
    var payload: Value { ["rule": .string(rule), "key": .string(key), "quiet": .double(quiet)] }
}
