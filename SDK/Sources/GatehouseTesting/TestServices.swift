// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// The host's services in a test of a plugin, apart from its clock: a test names only what it grants.
///
/// ```swift
/// let store = try TestStore(Door.self, services: TestServices(ingress: ingress))
/// ```
public struct TestServices: Sendable {
    /// The seconds since 1970 at which the clock begins.
    public var unixTime: Double
    /// The folder granted to the plugin; nil for none.
    public var dataDirectory: String?
    /// Granted to the plugin as `state`; nil for nothing.
    public var state: HostStateReader?
    /// Granted to the plugin as `ingress`; nil for nothing.
    public var ingress: HostIngress?
    /// Granted to the plugin as `control`; nil for nothing.
    public var control: HostControl?
    /// Makes the plugin's connections; by default they are those of this process.
    public var network: HostNetwork
    /// Takes the health and the numbers that the plugin reports.
    public var status: PluginStatus
    /// The lowest level of log lines that is kept in `log`.
    public var minimum: PluginLog.Level

    /// Creates services that grant nothing else; by default the clock begins at 0, as in a case of `gatehouse test`.
    public init(
        unixTime: Double = 0, dataDirectory: String? = nil, state: HostStateReader? = nil,
        ingress: HostIngress? = nil, control: HostControl? = nil,
        network: HostNetwork = HostNetwork(), status: PluginStatus = PluginStatus(),
        minimum: PluginLog.Level = .debug
    ) {
        self.unixTime = unixTime
        self.dataDirectory = dataDirectory
        self.state = state
        self.ingress = ingress
        self.control = control
        self.network = network
        self.status = status
        self.minimum = minimum
    }
}
