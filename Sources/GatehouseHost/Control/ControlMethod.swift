// SPDX-License-Identifier: Apache-2.0

/// What a client may ask for.
enum ControlMethod: String, CaseIterable {
    /// What there is to know about the host.
    case status
    /// What a reload would change.
    case plan
    /// To read the configuration again.
    case reload
    /// To open or close the gate of an instance.
    case gate
    /// To let a library out of quarantine.
    case release
    /// Hands over actions to be processed.
    case dispatch
    /// The actions that came to nothing.
    case deadLetters
    /// Hands some of those over once more.
    case redispatch
    /// Throws some of those away.
    case discard
    /// Actions that the journal keeps.
    case history
    /// The state, or a part of it.
    case state
    /// To be told what passes.
    case watch
    /// To be told no longer.
    case unwatch
    /// The members and partitions of the cluster that the host is in.
    case cluster
    /// To let a member own no partitions, or some again.
    case clusterDrain
    /// To let all members reload, one after the other.
    case clusterReload
    /// Asks for the numbers, as text for Prometheus.
    case metrics
    /// Asks the host to end.
    case stop

    /// The parameters that it takes, in the order of the documents.
    var parameters: [String] {
        switch self {
        case .status, .plan, .unwatch, .metrics, .stop, .cluster, .clusterReload: []
        case .clusterDrain: ["host", "undo"]
        case .reload: ["expect", "history", "strict"]
        case .gate: ["id", "position"]
        case .release: ["name", "catchUp"]
        case .dispatch: ["action", "actions"]
        case .deadLetters: ["id", "kind", "limit"]
        case .redispatch: ["ids", "all", "kind", "action"]
        case .discard: ["ids", "all", "kind"]
        case .history: ["types", "instances", "before", "causes", "limit"]
        case .state: ["pointer", "depth", "at", "since"]
        case .watch: ["types", "instances", "state"]
        }
    }
}
