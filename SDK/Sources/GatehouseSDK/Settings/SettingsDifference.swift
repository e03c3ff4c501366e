// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// Keys in only one of a manifest's schema and its plugin's settings type.
///
/// Setting such a key has no effect, or is impossible.
public struct SettingsDifference: Equatable, Sendable {
    /// Keys that only the schema has, in its order.
    public let unknown: [String]
    /// Keys that only the type has, in its order.
    public let undescribed: [String]

    /// Whether both have the same keys.
    public var isEmpty: Bool { unknown.isEmpty && undescribed.isEmpty }

    /// Creates an empty difference, for lack of a type to compare with.
    init() { (unknown, undescribed) = ([], []) }

    /// Compares the two, as far as they name their keys.
    @usableFromInline
    init<Settings: PluginSettings>(_ schema: Schema, _ type: Settings.Type) {
        let described = schema.keys
        unknown =
            switch KeyProbe.answer(of: type, to: described) {
            case .unknown(let names): names
            case .nothing: described
            case .other: []
            }
        let own = described.isEmpty || schema.describesOtherKeys ? [] : KeyRecorder.keys(of: Settings()) ?? []
        undescribed = own.filter { !described.contains($0) }
    }
}
