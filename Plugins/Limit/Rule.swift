// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One rule: which actions it is about, what tells them apart, and what it measures.
struct Rule: Sendable {
    /// Its name, under which its part of the state stands.
    let name: String
    /// The types it is about.
    let when: ActionTypePatterns
    /// Where the key of an action is in its payload; nil where all share one.
    let by: JSONPointer?
    /// What it measures.
    let measure: Measure

    /// The key of an action; nil for one that the rule is not about.
    ///
    /// What has no key where one is expected, or null, shares the empty one, except where each passes once: nobody knows whether
    /// it has come before, so it passes.
    func key(of action: AnyAction) -> String? {
        guard when.contains(action.type) else { return nil }
        guard let by else { return "" }
        // Senders write null for what is not there, and the text "null" is somebody's key.
        let key = action.payload(at: by) == .null ? nil : action.key(at: by)
        if case .unique = measure { return key }
        return key ?? ""
    }
}

/// The rules of the settings: an object in which each has a name.
struct Rules: Codable, Sendable {
    /// In the order written.
    let all: [Rule]
    /// The object they were read from.
    private let written: Value

    /// What stands under a name.
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

        /// What is measured; nil unless exactly one thing is.
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

    /// No rules.
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
