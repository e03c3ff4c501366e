// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What an instance hears and emits at most, as far as its settings and those that its schema has by default name action types at the
/// places that the schema marks with `"x-action"`.
///
/// It stands for the `*` that a manifest declares where its `narrows` says so.
public struct SettingsNames: Sendable {
    /// What it hears; empty for nothing.
    public let heard: [TypePattern]
    /// What it emits; empty for nothing.
    public let emitted: [TypePattern]

    /// Reads settings by their schema.
    public init(_ settings: Value, by schema: Value) {
        var (heard, emitted): ([TypePattern], [TypePattern]) = ([], [])
        for mark in SettingsMarks(.action, in: settings, by: schema, readsDefaults: true).all {
            // A list that names nothing leaves nothing out.
            let type = mark.value.stringValue.map { TypePattern($0) } ?? .everything
            guard let type else { continue }
            switch SettingsAnswers.Role(rawValue: mark.word) {
            case .hears: heard.append(type)
            case .emits: emitted.append(type)
            case .emitsAny: emitted.append(.everything)
            case nil: continue
            }
        }
        self.heard = Self.widest(heard)
        self.emitted = Self.widest(emitted)
    }

    /// Each once, without those that another one covers; in order.
    private static func widest(_ patterns: [TypePattern]) -> [TypePattern] {
        patterns.enumerated().compactMap { place, pattern in
            let isCovered = patterns.enumerated().contains { other, wider in
                guard other != place, wider.intersection(pattern) == pattern else { return false }
                return wider != pattern || other < place
            }
            return isCovered ? nil : pattern
        }
    }
}
