// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What a configuration and a plugin folder make together, found without running plugin code.
public struct HostPlan: Sendable {
    /// One entry of the configuration, or one discovered library, and what becomes of it.
    public struct Entry: Sendable {
        /// The id of the instance.
        public let id: String
        /// Whether the host starts without it.
        public let isOptional: Bool
        /// What becomes of it.
        public let outcome: Outcome
    }

    /// What becomes of an entry.
    public enum Outcome: Sendable {
        /// It takes part.
        case accepted(PlannedInstance)
        /// Its library is refused.
        case refused(PluginRefusal)
        /// Nothing was found for it; why, as a sentence.
        case missing(String)
    }

    /// A library in the folder that takes no part.
    public struct Spare: Sendable {
        /// The library with its verdict.
        public let library: PluginFolder.Candidate
        /// Why it takes no part; empty for one that would be accepted but is only listed.
        public let reasons: [String]
    }

    /// What the operator wrote; the defaults where that could not be read.
    public let configuration: HostConfiguration
    /// The entries in chain order, then the discovered libraries in order of their file names.
    public let entries: [Entry]
    /// The libraries that take no part, in order of their file names.
    public let spares: [Spare]
    /// What is wrong in the configuration, and what likely says something else than was meant, in the order of the file.
    public let problems: [ConfigurationProblem]
    /// Named libraries that are refused and without which the host does not start.
    public let refusals: [PluginRefusal]
    /// What else an operator should know although the host starts.
    public let warnings: [String]

    /// The instances that take part, in chain order.
    public var instances: [PlannedInstance] {
        entries.compactMap { if case .accepted(let instance) = $0.outcome { instance } else { nil } }
    }

    /// What keeps the host from starting; nil when nothing does, as far as that can be told without running plugin code.
    public var failure: StartupFailure? {
        let failure = StartupFailure(problems: problems, refusals: refusals, warnings: warnings)
        return failure.isConfigurationBroken || !refusals.isEmpty ? failure : nil
    }

    /// What only a start can settle, because a manifest does not tell whether a plugin keeps state: slices that overlap.
    ///
    /// None for a plan that cannot start: errors about ids and slices say the same.
    public var doubts: [String] {
        guard failure == nil else { return [] }
        var owners = SliceOwners()
        return instances.compactMap { instance in
            let claim = SliceOwners.Claim(slice: instance.slice, id: instance.id, line: 0)
            // Two instances of one name are a mistake of their own.
            guard let other = owners.add(claim), other.id != instance.id else { return nil }
            return
                "the slice \(instance.slice) of \(instance.id) overlaps the slice \(other.slice) of \(other.id); if both plugins keep state, give one of them another \"lift\"/\"state\""
        }
    }

    /// How the gate of an instance stands before the first action; nil when that depends on a plugin's own state.
    public func start(of instance: PlannedInstance) -> GateConfiguration.Default? {
        instance.entry.gate.start(state: configuration.state, slices: instances.map(\.slice))
    }
}
