// SPDX-License-Identifier: Apache-2.0

/// Asks which names an action type knows, through the keys its synthesized `init(from:)` uses.
@usableFromInline
enum CaseNames {
    /// Returns the names that are no case of the action type; none if the type does not decode as an enum
    /// does.
    ///
    /// Runs the beginning of the type's `init(from:)`; decodes nothing.
    @usableFromInline
    static func unknown(in names: [String], for type: (some PluginAction).Type) -> [String] {
        if type == AnyAction.self { return [] }
        guard case .unknown(let names) = KeyProbe.answer(of: type, to: names) else { return [] }
        return names
    }
}
