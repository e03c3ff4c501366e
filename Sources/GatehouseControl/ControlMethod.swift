// SPDX-License-Identifier: Apache-2.0

/// The methods of the control protocol.
enum ControlMethod: String, CaseIterable {
    /// Returns the host's status.
    case status
    /// Returns the changes that a reload would make.
    case plan
    /// Reads the configuration again.
    case reload
    /// Begins to try a candidate on recorded actions.
    case `try`
    /// Returns how far a trial is, or its outcome.
    case trial
    /// Puts a tried candidate in the place of what runs.
    case swap
    /// Returns how shadows agree with their instances.
    case shadow
    /// Returns the numbers of the last hour.
    case hour
    /// Returns the time of the newest minutes by instance and stage.
    case costs
    /// Returns the effects that are under way.
    case effects
    /// Ends the pauses of an instance.
    case now
    /// Returns the entry of an instance, with its settings.
    case entry
    /// Returns which instances emit what others hear.
    case graph
    /// Returns the generations in which an instance changed.
    case generations
    /// Opens or closes the gate of an instance.
    case gate
    /// Releases a library from quarantine.
    case release
    /// Dispatches actions.
    case dispatch
    /// Returns dead letters.
    case deadLetters
    /// Dispatches dead letters again.
    case redispatch
    /// Deletes dead letters.
    case discard
    /// Returns recorded actions from the journal.
    case history
    /// Returns the state or a part of it.
    case state
    /// Starts a watch.
    case watch
    /// Ends the watch.
    case unwatch
    /// Returns the members and partitions of the host's cluster.
    case cluster
    /// Drains a member of its partitions, or undoes that.
    case clusterDrain
    /// Reloads all members, one after the other.
    case clusterReload
    /// Returns the metrics as text for Prometheus.
    case metrics
    /// Lets another process of the program go on for the host.
    case upgrade
    /// Stops the host.
    case stop

    /// The method's parameters, in the order of the documents.
    var parameters: [String] {
        switch self {
        case .status, .plan, .graph, .unwatch, .metrics, .stop, .cluster, .clusterReload: []
        case .clusterDrain: ["host", "undo"]
        case .reload: ["expect", "history", "strict"]
        case .try: ["file", "name", "content", "last", "since"]
        case .trial: ["digest", "after"]
        case .swap: ["digest"]
        case .shadow: ["id"]
        case .hour: ["instances"]
        case .costs: ["minutes"]
        case .effects: ["instances", "limit"]
        case .entry, .now: ["id"]
        case .generations: ["id", "limit"]
        case .gate: ["id", "position"]
        case .release: ["name", "catchUp"]
        case .dispatch: ["action", "actions"]
        case .deadLetters: ["id", "kind", "limit"]
        case .redispatch: ["ids", "all", "kind", "action"]
        case .discard: ["ids", "all", "kind"]
        case .history: ["types", "instances", "text", "before", "causes", "limit"]
        case .state: ["pointer", "depth", "at", "since"]
        case .watch: ["types", "instances", "state", "turnedAway"]
        case .upgrade: ["program"]
        }
    }
}
