// SPDX-License-Identifier: Apache-2.0

/// The host's services for an instance, before the plugin's own settings are known.
public struct HostServices: Sendable {
    /// The id of the instance in the configuration.
    public let instance: String
    /// Writes a line for the operator.
    public let log: PluginLog
    /// Time; nil when the configuration does not grant `clock`.
    public let clock: HostClock?
    /// The path of a folder for this instance alone; nil when the configuration does not grant `data`.
    ///
    /// The instance creates the folder when it needs it.
    public let dataDirectory: String?
    /// The state of the whole host; nil when the configuration does not grant `state`.
    public let state: HostStateReader?
    /// The host's input; nil when the configuration does not list `ingress`.
    public let ingress: HostIngress?
    /// The host's control protocol; nil when the configuration does not list `control`.
    public let control: HostControl?
    /// The instance's health and numbers.
    public let status: PluginStatus
    /// Announces work that takes long before it comes back.
    public private(set) var longWork = LongWork()
    /// Gives the instance its listening sockets; always granted, because any plugin can open a socket by itself.
    public private(set) var listeners = HostListeners()
    /// Makes the instance's connections; always granted in the host, because any plugin can open a socket by itself there.
    public private(set) var network = HostNetwork()
    /// Names the effects of the action in hand; see `PluginContext.effectKey`.
    private(set) var effectKey: @Sendable () -> String? = { nil }
    /// Counts the attempts of the action in hand; see `PluginContext.attempt`.
    private(set) var attempt: @Sendable () -> Int = { 1 }

    /// Creates the services for one instance, as far as tests grant them.
    public init(
        instance: String, log: PluginLog, clock: HostClock?, dataDirectory: String?,
        state: HostStateReader? = nil, ingress: HostIngress? = nil, control: HostControl? = nil,
        status: PluginStatus = PluginStatus()
    ) {
        self.instance = instance
        self.log = log
        self.clock = clock
        self.dataDirectory = dataDirectory
        self.state = state
        self.ingress = ingress
        self.control = control
        self.status = status
    }

    /// Returns the services with those that only a running host gives.
    ///
    /// - Parameters:
    ///   - effectKey: names the effects of the action in hand; see `PluginContext.effectKey`.
    ///   - attempt: counts the attempts of the action in hand; see `PluginContext.attempt`.
    public func hosted(
        longWork: LongWork = LongWork(), listeners: HostListeners = HostListeners(),
        network: HostNetwork = HostNetwork(), effectKey: @escaping @Sendable () -> String? = { nil },
        attempt: @escaping @Sendable () -> Int = { 1 }
    ) -> HostServices {
        var services = self
        (services.longWork, services.listeners, services.network) = (longWork, listeners, network)
        (services.effectKey, services.attempt) = (effectKey, attempt)
        return services
    }
}
