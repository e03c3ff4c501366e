// SPDX-License-Identifier: Apache-2.0

/// An operator's settings for a plugin: a Codable struct with a default for everything.
///
/// The operator's object is merged (RFC 7396) over the encoded default and then decoded, so that each setting is
/// optional.
///
/// ```swift
/// struct Settings: PluginSettings {
///     var limit = 30.0
///     var quiet: [ActionTypePattern] = []
/// }
/// ```
public protocol PluginSettings: Codable, Sendable {
    /// Creates the settings with all their defaults, over which the operator's are merged.
    init()
}

/// The settings of a plugin that has none.
public struct NoSettings: PluginSettings {
    public init() {}
}
