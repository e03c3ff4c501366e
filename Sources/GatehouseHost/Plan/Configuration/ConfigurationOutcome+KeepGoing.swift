// SPDX-License-Identifier: Apache-2.0

extension ConfigurationOutcome {
    /// The same outcome with every instance optional, so that a missing or refused library is reported and left out.
    public var keepingGoing: ConfigurationOutcome {
        switch self {
        case .usable(let configuration, let warnings):
            .usable(Self.optional(configuration), warnings: warnings)
        case .broken(let problems, let readable):
            .broken(problems, readable: readable.map(Self.optional))
        }
    }

    /// The ids of the instances that must run.
    public var requiredIDs: Set<String> {
        Set(readable?.instances.filter { !$0.isOptional }.map(\.id) ?? [])
    }

    /// The configuration with every instance optional.
    private static func optional(_ configuration: HostConfiguration) -> HostConfiguration {
        var configuration = configuration
        for index in configuration.instances.indices { configuration.instances[index].isOptional = true }
        return configuration
    }
}
