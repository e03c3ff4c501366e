// SPDX-License-Identifier: Apache-2.0

/// What came of reading a configuration file.
public enum ConfigurationOutcome: Equatable, Sendable {
    /// The configuration, and the warnings in the order of the file.
    case usable(HostConfiguration, warnings: [ConfigurationProblem])
    /// Everything that is wrong, in the order of the file, at least one an error; warnings stand among them.
    ///
    /// `readable` is what could be read all the same, so that later checks can add what they find to one report.
    case broken([ConfigurationProblem], readable: HostConfiguration?)

    /// The configuration, nil if the file is broken.
    public var configuration: HostConfiguration? {
        guard case .usable(let configuration, _) = self else { return nil }
        return configuration
    }

    /// The configuration, or what could be read of it.
    public var readable: HostConfiguration? {
        switch self {
        case .usable(let configuration, _): configuration
        case .broken(_, let readable): readable
        }
    }

    /// The warnings, and the errors if there are any, in the order of the file.
    public var problems: [ConfigurationProblem] {
        switch self {
        case .usable(_, let warnings): warnings
        case .broken(let problems, _): problems
        }
    }
}
