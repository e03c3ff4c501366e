// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSupport
public import GatehouseValue

/// Looks back on behalf of clients; called on the event loop, which must not be kept waiting.
@EventLoop
public protocol ControlPast: AnyObject, Sendable {
    /// Actions that the journal keeps, as JSON.
    func history(_ query: HistoryQuery) async throws(ControlError) -> Value

    /// The state as it was, as JSON.
    func state(_ query: PastStateQuery) async throws(ControlError) -> Value
}

/// Which actions of the past a client wants to see.
public struct HistoryQuery: Equatable, Sendable {
    /// So many actions may be asked for at once.
    static let mostActions = 1_000
    /// So many are given to who does not say.
    static let usualActions = 100

    /// The types; nil for all.
    public var types: [TypePattern]?
    /// Those that emitted them; nil for anybody, input included.
    public var instances: [String]?
    /// Only what is older than the action with this number; nil for the newest.
    public var before: UInt64?
    /// The action whose causes and consequences are wanted, instead of the newest; nil for none.
    public var causes: UInt64?
    /// At most so many.
    public var limit: Int

    /// The newest actions, of any kind.
    public init(limit: Int = 100) { self.limit = limit }

    /// Whether an action is wanted.
    func admits(type: String, instance: String?) -> Bool {
        if let types, !types.contains(where: { $0.covers(type) }) { return false }
        if let instances { return instance.map(instances.contains) ?? false }
        return true
    }
}

/// Which state of the past a client wants to see.
public struct PastStateQuery: Equatable, Sendable {
    /// The place in it.
    public var pointer: JSONPointer
    /// The action behind which it is wanted; 0 for the beginning.
    public var at: UInt64
    /// An action before, from which on changes are wanted; nil for no changes.
    public var since: UInt64?
    /// How many levels of the value are wanted; nil for all.
    public var depth: Int?

    /// The state at a place, behind an action.
    public init(_ pointer: JSONPointer, at sequence: UInt64, since: UInt64? = nil) {
        self.pointer = pointer
        at = sequence
        self.since = since
    }
}
