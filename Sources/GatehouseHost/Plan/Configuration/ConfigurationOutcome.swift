// SPDX-License-Identifier: Apache-2.0

/// What came of reading a configuration file.
public struct ConfigurationOutcome: Equatable, Sendable {
    /// What could be read, so that later checks can add what they find to one report; nil for a text that is no object.
    public let readable: HostConfiguration?
    /// Errors and warnings.
    public let findings: Findings

    /// The configuration, nil if the file is broken.
    public var configuration: HostConfiguration? { findings.isFailure ? nil : readable }

    /// The same outcome with every instance optional, so that a missing or refused library is reported and left out.
    public var keepingGoing: ConfigurationOutcome {
        var optional = readable
        for index in optional?.instances.indices ?? 0..<0 { optional?.instances[index].isOptional = true }
        return ConfigurationOutcome(readable: optional, findings: findings)
    }

    /// The ids of the instances that must run.
    public var requiredIDs: Set<String> {
        Set(readable?.instances.filter { !$0.isOptional }.map(\.id) ?? [])
    }
}
