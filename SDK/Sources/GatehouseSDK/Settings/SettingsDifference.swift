// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// What the schema of a manifest and the settings type of its plugin do not have in common.
///
/// A key that one of them does not have is set in vain, or cannot be set.
public struct SettingsDifference: Equatable, Sendable {
    /// Keys that the schema describes and the type does not have, in the order of the schema.
    public let unknown: [String]
    /// Keys that the type has and the schema does not describe, in the order of the type.
    public let undescribed: [String]

    /// Whether there is nothing to tell.
    public var isEmpty: Bool { unknown.isEmpty && undescribed.isEmpty }

    /// None: there is no type to compare with.
    static let none = SettingsDifference()

    /// No difference on either side.
    private init() { (unknown, undescribed) = ([], []) }

    /// Compares the two, as far as they name their keys.
    @usableFromInline
    init<Settings: PluginSettings>(_ schema: Schema, _ type: Settings.Type) {
        let described = schema.keys
        guard !described.isEmpty else {
            (unknown, undescribed) = ([], [])
            return
        }
        unknown =
            switch KeyProbe.answer(of: type, to: described) {
            case .unknown(let names): names
            case .nothing: described
            case .other: []
            }
        let own = schema.describesOtherKeys ? [] : KeyRecorder.keys(of: Settings()) ?? []
        undescribed = own.filter { !described.contains($0) }
    }
}
