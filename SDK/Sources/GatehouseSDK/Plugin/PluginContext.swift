// SPDX-License-Identifier: Apache-2.0

/// What an instance of a plugin works with: its settings and the host's services.
///
/// It takes any type as settings, since a requirement would be looked up among all loaded images for each plugin.
public struct PluginContext<Settings: Sendable>: Sendable {
    /// Both, as one reference: contexts are handed on with each action.
    private let content: Content

    /// A context for one instance.
    public init(settings: Settings, services: HostServices) {
        content = Content(settings: settings, services: services)
    }

    /// The operator's settings over the plugin's defaults.
    public var settings: Settings { content.settings }
    /// The services that the host provides to this instance.
    public var services: HostServices { content.services }

    /// The id of the instance in the configuration.
    public var instance: String { services.instance }
    /// Writes a line for the operator.
    public var log: PluginLog { services.log }
    /// Says how the instance is; the operator is told of each change.
    public var health: PluginStatus.Health { PluginStatus.Health(status: services.status) }
    /// Counts what happens, for the operator's monitoring.
    public var count: PluginStatus.Count { PluginStatus.Count(status: services.status) }
    /// Says how much there is of something, for the operator's monitoring.
    public var gauge: PluginStatus.Gauge { PluginStatus.Gauge(status: services.status) }
    /// Says how long something took, for the operator's monitoring: `context.time("save") { … }`.
    public var time: PluginStatus.Time { PluginStatus.Time(status: services.status) }
    /// Says that an action was not done, and why; the operator is told, and the run does not end with 0.
    public var failed: PluginStatus.Failed { PluginStatus.Failed(status: services.status) }
    /// A name for what the action in hand starts, for services that do the same thing only once when it is asked for twice.
    ///
    /// It is the same for the same action and instance, also after a crash, when the action runs again from the journal; no two
    /// actions have the same. Who starts several effects for one action adds something of its own. Nil outside of a host, and
    /// wherever no action is in hand: ask where the effect is made, not in its task.
    public var effectKey: String? { services.effectKey() }
    /// How often the effects of the action in hand begin, from 1; more once a process has died, or ended, before they had.
    ///
    /// The first attempt may have reached the world: whoever is asked a second time finds out by `effectKey`. Ask where the effect is
    /// made, not in its task.
    public var attempt: Int { services.attempt() }
    /// Time; nil when the configuration does not grant `clock`.
    public var clock: HostClock? { services.clock }
    /// The path of a folder for this instance alone; nil when the configuration does not grant `data`.
    ///
    /// The instance makes the folder when it needs it.
    public var dataDirectory: String? { services.dataDirectory }
    /// The state of the whole host; nil when the configuration does not grant `state`.
    public var state: HostStateReader? { services.state }
    /// The host's input; nil when the configuration does not list `ingress`.
    public var ingress: HostIngress? { services.ingress }
    /// Announces work that keeps its thread for longer than a host without signs of life may live; callable from any thread.
    public var longWork: LongWork { services.longWork }
    /// Gives the sockets at which the instance listens; they outlive it over a reload, and hold the run open.
    public var listeners: HostListeners { services.listeners }
    /// The host as operators see it; nil when the configuration does not list `control`.
    public var control: HostControl? { services.control }

    /// The content that all copies of a context share.
    private final class Content: Sendable {
        /// The operator's settings, decoded.
        let settings: Settings
        /// The host's services for this instance.
        let services: HostServices

        /// Joins the two for the life of the instance.
        init(settings: Settings, services: HostServices) {
            self.settings = settings
            self.services = services
        }
    }
}
