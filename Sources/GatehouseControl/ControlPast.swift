// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseSupport
package import GatehouseValue

/// Looks into the past for clients; called on the event loop, which must not be blocked.
@EventLoop
package protocol ControlPast: AnyObject, Sendable {
    /// Returns recorded actions as JSON.
    func history(_ query: HistoryQuery) async throws(ControlError) -> Value

    /// Returns the generations in which an instance changed as JSON, the newest first; at most so many.
    func generations(of instance: String, limit: Int) async throws(ControlError) -> Value

    /// Returns a past state as JSON.
    func state(_ query: PastStateQuery) async throws(ControlError) -> Value
}

/// A query for past actions.
package struct HistoryQuery: Equatable, Sendable {
    /// The most actions that one query may ask for.
    static let mostActions = 1_000

    /// The types; nil for all.
    var types: [TypePattern]?
    /// The emitting instances; nil for any source, input included.
    var instances: [String]?
    /// What the wire form of an action contains, in any case of the letters A to Z; nil for anything.
    package var text: String?
    /// Selects actions older than the one with this number; nil for the newest.
    package var before: UInt64?
    /// The action whose causes and consequences are wanted, instead of the newest; nil for none.
    package var causes: UInt64?
    /// The most actions to return.
    package var limit = 100

    /// Whether the query selects an action.
    package func admits(type: String, instance: String?) -> Bool {
        if let types, !types.contains(where: { $0.covers(type) }) { return false }
        if let instances { return instance.map(instances.contains) ?? false }
        return true
    }
}

/// A query for a past state.
package struct PastStateQuery: Codable, Equatable, Sendable {
    /// The place in the state.
    package let pointer: JSONPointer
    /// The action after which the state is wanted; 0 for the beginning.
    package let at: UInt64
    /// An earlier action, since which changes are wanted; nil for no changes.
    package let since: UInt64?
    /// How many levels of the value to return; nil for all.
    package let depth: Int?
}
