// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What the operator wrote in `plugins.json`, checked, with every default filled in.
public struct HostConfiguration: Equatable, Sendable {
    /// The folder of the plugin libraries; a relative path starts at the configuration file's folder.
    public var directory: String
    /// What happens to a library in `directory` that no entry names.
    public var discovery: Discovery
    /// The plain state the store starts with; always an object, without the member `host`.
    public var state: Value
    /// What comes in from outside, and its limits.
    public var ingress: IngressConfiguration
    /// How many outputs one input may set off synchronously before the chain is cut, 1…1,000,000.
    public var maximumChain: Int
    /// The instances in chain order; their ids are unique.
    public var instances: [InstanceConfiguration]
    /// Where the file's parts stand; nil for a configuration that was not read. Never makes configurations differ.
    @Incidental public var place: ConfigurationPlace?

    /// The range that `maximumChain` may have, in outputs.
    public static let maximumChainRange = 1...1_000_000

    /// A configuration; without arguments the one that an empty object in the file stands for.
    public init(
        directory: String = "plugins",
        discovery: Discovery = .activate,
        state: Value = .object(Members()),
        ingress: IngressConfiguration = IngressConfiguration(),
        maximumChain: Int = 1_000,
        instances: [InstanceConfiguration] = [],
        place: ConfigurationPlace? = nil
    ) {
        self.directory = directory
        self.discovery = discovery
        self.state = state
        self.ingress = ingress
        self.maximumChain = maximumChain
        self.instances = instances
        self.place = place
    }

    /// A problem with one key of the file, found after parsing; none for a configuration that was not read.
    func problem(at key: String, _ sentence: String) -> [ConfigurationProblem] {
        place.map { [$0.problem(at: JSONPointer(tokens: [key]), .finding(sentence))] } ?? []
    }
}
