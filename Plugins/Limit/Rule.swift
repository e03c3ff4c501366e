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

extension Rule: NamedSetting {
    /// The value under a name.
    private struct Definition: Decodable {
        let when: ActionTypePatterns
        let by: JSONPointer?
        let rate: Rate?
        let sample: Sample?
        let unique: Seconds?
        let debounce: Seconds?

        /// The measures; a rule has exactly one.
        var measures: [Measure] {
            [
                rate.map {
                    .rate(interval: $0.seconds.value / Double($0.most), burst: Double($0.burst ?? $0.most))
                },
                sample.map { .sample(count: Double($0.oneOf)) },
                unique.map { .unique(seconds: $0.value) }, debounce.map { .debounce(quiet: $0.value) },
            ].compactMap(\.self)
        }
    }

    init(named name: String, from decoder: any Decoder) throws {
        let definition = try Definition(from: decoder)
        guard let measure = definition.measures.first, definition.measures.count == 1 else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "one of \"rate\", \"sample\", \"unique\" and \"debounce\"",
                found: "none of them, or several")
        }
        if case .unique = measure, definition.by == nil {
            throw CodingFailure(
                at: decoder.codingPath, expected: "a member \"by\" beside \"unique\"", found: "none")
        }
        self.init(name: name, when: definition.when, by: definition.by, measure: measure)
    }
}
