// SPDX-License-Identifier: Apache-2.0

/// What came of reading a configuration file.
public enum ConfigurationOutcome: Equatable, Sendable {
    /// The configuration, and the warnings in the order of the file.
    case usable(HostConfiguration, warnings: [ConfigurationProblem])
    /// Everything that is wrong, in the order of the file, at least one an error; warnings stand among them.
    case broken([ConfigurationProblem])

    /// The configuration, nil if the file is broken.
    public var configuration: HostConfiguration? {
        guard case .usable(let configuration, _) = self else { return nil }
        return configuration
    }

    /// The warnings, and the errors if there are any, in the order of the file.
    public var problems: [ConfigurationProblem] {
        switch self {
        case .usable(_, let warnings): warnings
        case .broken(let problems): problems
        }
    }
}
