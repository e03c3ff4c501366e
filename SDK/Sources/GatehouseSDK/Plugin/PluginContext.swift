// SPDX-License-Identifier: Apache-2.0

/// The settings of an instance and the host's services for it.
///
/// It takes any type as settings, since a requirement would be looked up in all loaded images for each plugin.
///
/// ```swift
/// context.health(.failing("\(degrees) degrees"))
/// context.log(.warning, "too hot by \(excess)")
/// return .just(.high(by: excess))
/// ```
public struct PluginContext<Settings: Sendable>: Sendable {
    /// Both, as one reference: each action passes its context on.
    private let content: Content

    /// Creates a context for one instance.
    public init(settings: Settings, services: HostServices) {
        content = Content(settings: settings, services: services)
    }

    /// The operator's settings over the plugin's defaults.
    public var settings: Settings { content.settings }
    /// The host's services for this instance.
    public var services: HostServices { content.services }

    /// The id of the instance in the configuration.
    public var instance: String { services.instance }
    /// Writes a line for the operator.
    public var log: PluginLog { services.log }
    /// Sets the health of the instance; the operator is notified of each change.
    public var health: PluginStatus.Health { PluginStatus.Health(status: services.status) }
    /// Counts events, for the operator's monitoring.
    public var count: PluginStatus.Count { PluginStatus.Count(status: services.status) }
    /// Sets the current amount of something, for the operator's monitoring.
    public var gauge: PluginStatus.Gauge { PluginStatus.Gauge(status: services.status) }
    /// Records how long something took, for the operator's monitoring: `context.time("save") { … }`.
    public var time: PluginStatus.Time { PluginStatus.Time(status: services.status) }
    /// Runs one of several rules, so that `ctl costs` shows what each of them takes: `context.rule("/rules/0") { … }`.
    ///
    /// Elsewhere than in the drain it measures what happens to run while an action is timed.
    public var rule: PluginStatus.Rule { PluginStatus.Rule(status: services.status) }
    /// Reports that an action was not done, and why, to the operator; the run does not end with 0.
    public var failed: PluginStatus.Failed { PluginStatus.Failed(status: services.status) }
    /// A name for the effect of the action in hand, for services that perform repeated requests only once.
    ///
    /// It is the same for the same action and instance, also when the action runs again from the journal after a crash; no two
    /// actions share it. Add a suffix to start several effects for one action. Nil outside of a host, in an interceptor, and when
    /// no action is in hand: read it where the effect is made, not in its task.
    public var effectKey: String? { services.effectKey() }
    /// The number of this attempt at the effects of the action in hand, from 1; it grows when a process ends before they do.
    ///
    /// The first attempt may have reached the world: a service recognizes the second by `effectKey`. Read it where the effect
    /// is made, not in its task.
    public var attempt: Int { services.attempt() }
    /// Time; nil when the configuration does not grant `clock`.
    public var clock: HostClock? { services.clock }
    /// The path of a folder for this instance alone; nil when the configuration does not grant `data`.
    ///
    /// The instance creates the folder when it needs it.
    public var dataDirectory: String? { services.dataDirectory }
    /// The state of the whole host; nil when the configuration does not grant `state`.
    public var state: HostStateReader? { services.state }
    /// The host's input; nil when the configuration does not list `ingress`.
    public var ingress: HostIngress? { services.ingress }
    /// Announces work that keeps its thread longer than a host may go without signs of life; callable from any thread.
    public var longWork: LongWork { services.longWork }
    /// Gives the instance its listening sockets; they outlive it over a reload, and hold the run open.
    public var listeners: HostListeners { services.listeners }
    /// Makes the instance's connections to other services; in a worker, those that its entry grants.
    public var network: HostNetwork { services.network }
    /// The host's control protocol; nil when the configuration does not list `control`.
    public var control: HostControl? { services.control }

    /// The content shared by all copies of a context.
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
