// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// The most that an instance hears and emits according to its settings.
///
/// It consists of the action types at the places that the schema marks with `"x-action"`, in the settings and in the schema's
/// defaults. It replaces the `*` of a manifest where its `narrows` says so.
public struct SettingsNames: Sendable {
    /// The types it hears; empty for none.
    public let heard: [TypePattern]
    /// The types it emits; empty for none.
    public let emitted: [TypePattern]

    /// Reads settings by their schema.
    public init(_ settings: Value, by schema: Value) {
        var (heard, emitted): ([TypePattern], [TypePattern]) = ([], [])
        for mark in SettingsMarks(.action, in: settings, by: schema, readsDefaults: true).all {
            // An empty list excludes nothing.
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

    /// Returns each pattern once, in order, without those that another one covers.
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
