// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// A host under control.
///
/// The methods are called on the event loop and never block it: work that needs a turn in the drain is left there.
@EventLoop
protocol ControlTarget: AnyObject, Sendable {
    /// Returns the host's current status.
    func status() async throws(ControlError) -> ControlStatus

    /// Returns the changes that a reload would make.
    func plan() async throws(ControlError) -> Value

    /// Reads the configuration again and switches to it; returns the changes.
    ///
    /// - Parameters:
    ///   - generation: the generation the operator has seen, refused if another one runs by now; nil for any.
    ///   - trial: how to try the reload on the past first; nil for no trial.
    func reload(expecting generation: Int?, trying trial: HistoryTrial?) async throws(ControlError) -> Value

    /// Opens or closes the gate of an instance.
    func moveGate(
        of id: String, to position: GateState, for caller: ControlCaller
    ) async throws(ControlError) -> GateMove

    /// Releases a library from quarantine by name; returns its digest, and the actions its instances skip.
    func release(_ name: String, for caller: ControlCaller) async throws(ControlError) -> Value

    /// Releases a library after its instances have reduced what they missed; returns the changes.
    func release(
        catchingUp name: String, for caller: ControlCaller
    ) async throws(ControlError) -> Value

    /// Processes actions one after the other, with their immediate consequences; a member of a cluster appends those that belong to
    /// partitions to the cluster.
    func dispatch(_ actions: [AnyAction], for caller: ControlCaller) async throws(ControlError) -> Dispatched

    /// The dead letters.
    nonisolated var letters: DeadLetters { get }

    /// Processes the action of a dead letter with its immediate consequences; afterwards the letter is gone or another one
    /// has replaced it.
    func redispatch(
        _ action: AnyAction, of letter: DeadLetter, for caller: ControlCaller
    ) async throws(ControlError) -> Redispatch

    /// Refuses callers that may change nothing at this moment.
    func permit(_ caller: ControlCaller) async throws(ControlError)

    /// Returns the state at a place; nil when there is nothing.
    func state(at pointer: JSONPointer) async throws(ControlError) -> Value?

    /// Returns recorded actions from the journal.
    func history(_ query: HistoryQuery) async throws(ControlError) -> Value

    /// Returns a past state.
    func state(_ query: PastStateQuery) async throws(ControlError) -> Value

    /// Starts writing the actions and changes that a filter selects.
    func watch(_ subscription: WatchSubscription) async throws(ControlError)

    /// Ends the watch; nothing more is written once it returns, unless the drain is busy.
    func unwatch(_ subscription: WatchSubscription)

    /// Stops the run in good order.
    func stop() throws(ControlError)

    /// The host's cluster; nil for none.
    nonisolated var cluster: (any ControlCluster)? { get }
}

/// The outcome of a request to move a gate.
struct GateMove: Sendable {
    /// The position before, in the words of `status`; nil where unknown here.
    let was: String?
    /// In how many partitions the gate moves, each at its turn; nil if it has moved already, being in none.
    var partitions: Int?
}

/// The outcome of a dispatch.
struct Dispatched: Sendable {
    /// Reports about bad data during processing here.
    var reported = 0
    /// Actions appended to the cluster for its partitions; nil without a cluster.
    var appended: Int?
}
