// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
private import Synchronization

/// Carries out the requests of middlewares in front of a Gatehouse store, on any thread.
///
/// Separate from the row of middlewares, so that objects they keep do not retain them.
///
/// `@unchecked Sendable`: `seen` and `drain` have a lock. The rest is written and read in the store's drain only: functions
/// that may be called elsewhere check the drain first, or are brought into it by the sink.
final class HostDesk<HostAction: Sendable, HostState>: @unchecked Sendable {
    /// What the members' actions and state are for the store.
    private let maps: HostMaps<HostAction, HostState>
    /// The row; nil once the store has released it.
    weak var hosted: HostedMiddlewares<HostAction, HostState>?
    /// The store's output and its queue, nil before the first action; does not retain the rest of the way.
    private var store: (output: AnyActionHandler<HostAction>, queue: Onward<HostAction>)?
    /// Identifies the store's state getter, to notice another one.
    private var stateIdentity: AnyObject?
    /// Reads the members' state; nil before the first action.
    private(set) var liveState: GetState<State>?
    /// The state last seen in the drain.
    private let seen = Mutex(State())
    /// The store's drain, nil before the first action.
    private let drain = Mutex<Drain?>(nil)

    /// Creates a desk without a store.
    init(_ maps: HostMaps<HostAction, HostState>) { self.maps = maps }

    /// The functions for members; callable from any thread.
    var api: MiddlewareAPI {
        MiddlewareAPI(getState: { [self] in state }, dispatch: { [self] in dispatch($0) })
    }

    /// Records an action's output, queue and getter; called in the drain, before the members.
    func meet(_ way: Interception<HostAction, HostState>) {
        if stateIdentity !== way.state.getter.identity || store?.output.sink !== way.output.sink {
            stateIdentity = way.state.getter.identity
            liveState = way.state.getter.map(maps.state)
            store = (way.output, way.onward.queueing)
            drain.withLock { $0 = way.onward.drain }
        }
        lookAtState()
    }

    /// Records the state; called in the drain.
    func lookAtState() {
        guard let liveState else { return }
        let state = liveState()
        // Released outside the lock: a value's deinitialization may call back here.
        withExtendedLifetime(seen.withLock { exchange(&$0, with: state) }) {}
    }

    /// The live state in the drain; elsewhere the one last seen there.
    private var state: State {
        let drain = drain.withLock { $0 }
        if drain?.isCurrent == true, let liveState { return liveState() }
        return seen.withLock { $0 }
    }

    /// Takes an action from a member, on any thread.
    private func dispatch(_ action: any Action) { output.dispatch(HostedAction(action: action)) }

    /// Takes the members' actions, in the drain.
    var output: AnyActionHandler<HostedAction> {
        AnyActionHandler(
            ActionSink(drain: drain.withLock { $0 }, activity: nil) { [self] dispatched in
                take(dispatched.action.action, from: dispatched.dispatcher)
            })
    }

    /// Emits an action, or queues it for the members alone; called in the drain.
    private func take(_ action: any Action, from dispatcher: ActionSource) {
        if emit(action, from: dispatcher) { return }
        guard hosted != nil, let queue = store?.queue else {
            return maps.onProblem(.storeReleased(action: Self.name(of: action)))
        }
        queue.post({ nil }) { [self] in hosted?.runAlone(action, from: dispatcher, before: queue) }
    }

    /// Emits an action if the store takes it, and returns whether it does; called in the drain.
    func emit(_ action: any Action, from dispatcher: ActionSource) -> Bool {
        guard let store, let mapped = maps.hostAction(action) else { return false }
        store.output.dispatch(DispatchedAction(mapped, dispatcher: dispatcher))
        return true
    }

    /// Reports an action that neither a member nor the store takes; called in the drain.
    func reportStranded(_ action: any Action) {
        let name = Self.name(of: action)
        maps.onProblem(
            action is any AsyncAction
                ? .asyncActionNotExecuted(action: name) : .actionNotTaken(action: name))
    }

    /// Returns the name of an action's type, for problems.
    private static func name(of action: any Action) -> String { "\(type(of: action))" }
}

/// What connects middlewares to a Gatehouse store of other actions and another state.
struct HostMaps<HostAction: Sendable, HostState> {
    /// Maps the store's action to the members', nil for one that bypasses them.
    let action: (HostAction) -> (any Action)?
    /// Maps a member's action to the store's.
    let hostAction: (any Action) -> HostAction?
    /// Maps the store's state to the members'.
    let state: (HostState) -> State
    /// Receives actions that go nowhere.
    let onProblem: @Sendable (StoreProblem) -> Void
}
