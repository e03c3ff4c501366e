// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One rule: its actions, their key, and the measure.
struct Rule: Sendable {
    /// Its name, also of its part of the state.
    let name: String
    /// The types it applies to.
    let when: ActionTypePatterns
    /// The place of the key in an action's payload; nil if all share one.
    let by: JSONPointer?
    /// The measure.
    let measure: Measure

    /// Returns the key of an action; nil for one that the rule does not apply to.
    ///
    /// An action without a key where one is expected, or with null, shares the empty one. With `unique` it passes: nobody knows
    /// whether it has come before.
    func key(of action: AnyAction) -> String? {
        guard when.contains(action.type) else { return nil }
        guard let by else { return "" }
        // Senders write null for an absent key, while the text "null" is somebody's key.
        let key = action.payload(at: by) == .null ? nil : action.key(at: by)
        if case .unique = measure { return key }
        return key ?? ""
    }
}

/// The rules of the settings: an object with a name for each.
struct Rules: Codable, Sendable {
    /// In the order written.
    let all: [Rule]
    /// The object they were read from.
    private let written: Value

    /// The value under a name.
    private struct Definition: Codable {
        /// See `Rule.when`.
        let when: ActionTypePatterns
        /// See `Rule.by`.
        let by: JSONPointer?
        /// See `Measure.rate`.
        let rate: Rate?
        /// See `Measure.sample`.
        let sample: Sample?
        /// See `Measure.unique`.
        let unique: Seconds?
        /// See `Measure.debounce`.
        let debounce: Seconds?

        /// The measure; nil unless there is exactly one.
        var measure: Measure? {
            let all: [Measure?] = [
                rate.map {
                    .rate(interval: $0.seconds.value / Double($0.most), burst: Double($0.burst ?? $0.most))
                },
                sample.map { .sample(count: Double($0.oneOf)) },
                unique.map { .unique(seconds: $0.value) }, debounce.map { .debounce(quiet: $0.value) },
            ]
            let found = all.compactMap { $0 }
            return found.count == 1 ? found[0] : nil
        }
    }

    /// Creates no rules.
    init() {
        all = []
        written = [:]
    }

    /// Reads an object of rules, each under its name.
    init(from decoder: any Decoder) throws {
        written = try Value(from: decoder)
        let container = try decoder.container(keyedBy: SettingsName.self)
        all = try container.names().map { name in
            let path = container.codingPath + [name]
            let definition = try container.decode(Definition.self, forKey: name)
            guard let measure = definition.measure else {
                throw CodingFailure(
                    at: path, expected: "one of \"rate\", \"sample\", \"unique\" and \"debounce\"",
                    found: "none of them, or several")
            }
            if case .unique = measure, definition.by == nil {
                throw CodingFailure(at: path, expected: "a member \"by\" beside \"unique\"", found: "none")
            }
            return Rule(
                name: name.stringValue, when: definition.when, by: definition.by, measure: measure)
        }
    }

    /// Writes the object they were read from.
    func encode(to encoder: any Encoder) throws { try written.encode(to: encoder) }
}
