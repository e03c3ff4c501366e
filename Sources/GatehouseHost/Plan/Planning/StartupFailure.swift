// SPDX-License-Identifier: Apache-2.0

/// Everything that keeps the host from starting; nothing of it was applied.
public struct StartupFailure: Error, Equatable, Sendable {
    /// What is wrong in the configuration, in the order of the file.
    public let problems: [ConfigurationProblem]
    /// Named libraries that were refused.
    public let refusals: [PluginRefusal]
    /// What else may help to understand, such as broken libraries that no entry names.
    public let warnings: [String]

    /// Whether the configuration is to blame, alone or among others.
    public var isConfigurationBroken: Bool { problems.contains { $0.severity == .error } }
}
