// SPDX-License-Identifier: Apache-2.0

/// What the configuration and the plugin folder make together: the instances in chain order, and their state.
public struct Assembly {
    /// The state before the first action.
    let state: HostState
    /// The configuration it was made from.
    public let configuration: HostConfiguration
    /// What an operator should know although the host starts.
    public private(set) var findings = Findings()

    /// The ids of the instances, in chain order.
    public var instanceIDs: [String] { state.generation.instances.map(\.id) }
}
