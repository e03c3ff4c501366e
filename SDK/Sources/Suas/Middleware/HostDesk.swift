// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
private import Synchronization

/// Carries out what middlewares in front of a Gatehouse store ask for, on any thread.
///
/// Apart from the row of middlewares, so that what they keep does not keep them.
///
/// `@unchecked Sendable`: `seen` and `drain` have a lock. The rest is written and read in the store's drain only: functions
/// that may be called elsewhere ask the drain first, or are brought into it by the sink.
final class HostDesk<HostAction: Sendable, HostState>: @unchecked Sendable {
    /// What the store sees of an action that a member made.
    private let hostAction: (any Action) -> HostAction?
    /// What the members see of the state.
    private let stateMap: (HostState) -> State
    /// Told about actions that go nowhere.
    private let onProblem: @Sendable (StoreProblem) -> Void
    /// The row; nil when the store has let go of it.
    weak var hosted: HostedMiddlewares<HostAction, HostState>?
    /// The store's output and its queue, nil before the first action; what lies behind in the queue is not kept.
    private var store: (output: AnyActionHandler<HostAction>, queue: Onward<HostAction>)?
    /// Tells whether the store's state is read by another getter than before.
    private var stateIdentity: AnyObject?
    /// Reads the members' state; nil before the first action.
    private(set) var liveState: GetState<State>?
    /// The state as it was seen last in the drain.
    private let seen = Mutex(State())
    /// The store's drain, nil before the first action.
    private let drain = Mutex<Drain?>(nil)

    /// A desk without a store.
    init(
        hostAction: @escaping (any Action) -> HostAction?, state: @escaping (HostState) -> State,
        onProblem: @escaping @Sendable (StoreProblem) -> Void
    ) {
        self.hostAction = hostAction
        stateMap = state
        self.onProblem = onProblem
    }

    /// What members are given; callable from any thread.
    var api: MiddlewareAPI {
        MiddlewareAPI(getState: { [self] in state }, dispatch: { [self] in dispatch($0) })
    }

    /// Takes note of where an action came from; called in the drain, ahead of the members.
    func meet(_ way: Interception<HostAction, HostState>) {
        if stateIdentity !== way.state.getter.identity || store?.output.sink !== way.output.sink {
            stateIdentity = way.state.getter.identity
            liveState = way.state.getter.map(stateMap)
            store = (way.output, way.onward.queueing)
            drain.withLock { $0 = way.onward.drain }
        }
        lookAtState()
    }

    /// Takes note of the state; called in the drain.
    func lookAtState() {
        guard let liveState else { return }
        let state = liveState()
        let old = seen.withLock { seen in
            let old = seen
            seen = state
            return old
        }
        // Released after the lock: what a value does when it goes may come back here.
        withExtendedLifetime(old) {}
    }

    /// Live in the drain; elsewhere as it was seen last.
    private var state: State {
        let drain = drain.withLock { $0 }
        if drain?.isCurrent == true, let liveState { return liveState() }
        return seen.withLock { $0 }
    }

    /// Takes an action from a member, on any thread.
    private func dispatch(_ action: any Action) {
        output.dispatch(HostedAction(action: action))
    }

    /// Where members' actions go, in the drain.
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
            return onProblem(.storeReleased(action: Self.name(of: action)))
        }
        queue.post({ nil }) { [self] in hosted?.runAlone(action, from: dispatcher, before: queue) }
    }

    /// Emits an action if the store takes it; returns whether it does. Called in the drain.
    func emit(_ action: any Action, from dispatcher: ActionSource) -> Bool {
        guard let store, let mapped = hostAction(action) else { return false }
        store.output.dispatch(DispatchedAction(mapped, dispatcher: dispatcher))
        return true
    }

    /// Tells about an action that no member took and the store does not take; called in the drain.
    func reportStranded(_ action: any Action) {
        let name = Self.name(of: action)
        onProblem(
            action is any AsyncAction
                ? .asyncActionNotExecuted(action: name) : .actionNotTaken(action: name))
    }

    /// The name of an action's type, for problems.
    private static func name(of action: any Action) -> String { "\(type(of: action))" }
}
