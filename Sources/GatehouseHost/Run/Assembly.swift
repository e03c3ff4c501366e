// SPDX-License-Identifier: Apache-2.0

/// What the configuration and the plugin folder make together: the instances in chain order, and their state.
public struct Assembly {
    /// The instances, in chain order.
    let instances: [Instance]
    /// The state before the first action.
    let tree: StateTree
    /// What the instances were granted from.
    let dependencies: HostDependencies
    /// The configuration it was made from.
    public let configuration: HostConfiguration
    /// What an operator should know although the host starts.
    public let warnings: [String]
    /// Places of the configuration that likely say something else than was meant.
    public private(set) var problems: [ConfigurationProblem] = []

    /// The ids of the instances, in chain order.
    public var instanceIDs: [String] { instances.map(\.id) }
}
