// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// What the control socket is in front of.
///
/// The methods are called on the event loop and never keep it waiting: what takes a turn in the drain is left there.
@EventLoop
protocol ControlTarget: AnyObject, Sendable {
    /// What there is to know about the host at this moment.
    func status() async throws(ControlError) -> ControlStatus

    /// What a reload would change.
    func plan() async throws(ControlError) -> Value

    /// Reads the configuration again and goes over to it; returns what has changed.
    ///
    /// - Parameters:
    ///   - generation: the number of the generation that the operator has seen; refused when there is another one by now. Nil
    ///     for whichever there is.
    ///   - trial: how it is tried on the past before; nil for not at all.
    func reload(expecting generation: Int?, trying trial: HistoryTrial?) async throws(ControlError) -> Value

    /// Opens or closes the gate of an instance.
    func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller
    ) async throws(ControlError) -> GateMove

    /// Lets what has a name out of quarantine; returns the digest of the library, and what its instances skip.
    func release(_ name: String, for caller: ControlCaller) async throws(ControlError) -> Value

    /// The same for instances that reduce before what they have missed; returns what has changed.
    func release(
        catchingUp name: String, for caller: ControlCaller
    ) async throws(ControlError) -> Value

    /// Processes actions, one after the other, and all that they lead to at once; a member of a cluster puts those into the cluster
    /// that belong to partitions.
    func dispatch(_ actions: [AnyAction], for caller: ControlCaller) async throws(ControlError) -> Dispatched

    /// The actions that came to nothing.
    nonisolated var letters: DeadLetters { get }

    /// Processes the action of a dead letter and all that it leads to at once; the letter is gone then, or another one has
    /// taken its place.
    func redispatch(
        _ action: AnyAction, of letter: DeadLetter, for caller: ControlCaller
    ) async throws(ControlError) -> Redispatch

    /// Refuses who may change nothing at this moment.
    func permit(_ caller: ControlCaller) async throws(ControlError)

    /// The state at a place, nil when there is nothing.
    func state(at pointer: JSONPointer) async throws(ControlError) -> Value?

    /// Actions that the journal keeps.
    func history(_ query: HistoryQuery) async throws(ControlError) -> Value

    /// The state as it was.
    func state(_ query: PastStateQuery) async throws(ControlError) -> Value

    /// Writes from here on what a filter lets through.
    func watch(_ subscription: WatchSubscription) async throws(ControlError)

    /// Ends that; nothing more is written when it returns, unless the drain is busy.
    func unwatch(_ subscription: WatchSubscription)

    /// Ends the run in good order.
    func stop() throws(ControlError)

    /// The cluster that the host is a member of; nil for none.
    nonisolated var cluster: (any ControlCluster)? { get }
}

/// How a gate was asked to move.
struct GateMove: Sendable {
    /// Where it was before, as `status` tells it; nil where that is not known here.
    let was: String?
    /// In how many partitions it moves, each at its turn; nil where it has moved already, because it is in none.
    var partitions: Int?
}

/// What became of actions that were dispatched.
struct Dispatched: Sendable {
    /// How many reports about bad data came while they were processed here.
    var reported = 0
    /// How many of them were put into the cluster, where partitions take them; nil where there is none.
    var appended: Int?
}
