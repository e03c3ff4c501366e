// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
private import Synchronization

/// The processor of a store's queue: action listeners, middlewares, reducers, listeners; see `Store` for the guarantees.
///
/// `@unchecked Sendable`: the variables are touched only in the drain of `queue`, apart from `published`, which has a lock.
/// Properties that callers on any thread look at (`isReducing`, `Passage.isOpen`) are read after a check of the drain.
final class StoreBody: DrainBody, @unchecked Sendable {
    /// A waiting piece of work.
    enum Element: Sendable {
        /// An action that starts at the middleware with this index, nil for the action listeners before them.
        case action(any Action, from: Int?)
        /// A callback that receives the state.
        case inform(@Sendable (State) -> Void)

        /// The store's name for the element in problems.
        var name: String {
            switch self {
            case .action(let action, _): "\(type(of: action))"
            case .inform: "informWithCurrentState"
            }
        }
    }

    /// Gives the body its turns.
    let queue: DrainQueue<StoreBody>
    /// The state; changed in the drain.
    private let box: StateBox<State>
    /// The state after the last action, for other threads.
    private let published: Lock<State>
    /// The reducers; each is called in the drain.
    private let reducer: CombinedReducer
    /// The middlewares; emptied when the store is released.
    private var middlewares: [any Middleware] = []
    /// The listeners of changes, in order of calls.
    private var listeners = ListenerList<StateEvent>()
    /// The listeners of actions, in order of calls.
    private var actionListeners = ListenerList<any Action>()
    /// Whether the store is released.
    private var isClosed = false
    /// Problems of entries that were reported since the last reset.
    private var reported: [StoreProblem] = []
    /// Receives misuse, on the thread that encountered it.
    private let onProblem: @Sendable (StoreProblem) -> Void

    /// The number of actions of a chain in a report, to name its cycle.
    private static let recentLength = 8

    /// Creates the body of one store; reports any problems of the reducers.
    init(
        state: KeyedState, reducer: sending CombinedReducer, middleware: sending [any Middleware],
        maximumChain: Int, maximumActions: Int, onProblem: @escaping @Sendable (StoreProblem) -> Void
    ) {
        queue = DrainQueue(
            limits: DrainLimits(chain: maximumChain, actions: maximumActions),
            trailLength: StoreBody.recentLength,
            hooks: DrainHooks(
                onCut: { cut in
                    let names = cut.recent.suffix(StoreBody.recentLength).map(\.name)
                    onProblem(
                        cut.kind == .chain
                            ? .dispatchLoop(limit: cut.limit, recent: names, dropped: cut.dropped)
                            : .tooManyActions(
                                limit: cut.limit, after: cut.input.name, recent: names, dropped: cut.dropped))
                },
                onLate: { late in
                    if case .action = late { onProblem(.storeReleased(action: late.name)) }
                }))
        box = StateBox(State(dictionary: state))
        published = Lock(State(dictionary: state))
        self.reducer = reducer
        self.onProblem = onProblem
        // The cycle this makes is broken when the store is released.
        middlewares = middleware.map { $0.connected(to: api) }
        for problem in reducer.problems { onProblem(problem) }
        queue.open(self)
    }

    /// The functions for middlewares.
    private var api: MiddlewareAPI {
        MiddlewareAPI(getState: { [self] in state }, dispatch: { [self] in dispatch($0) })
    }

    /// The state after the last reduced action; callable from any thread.
    var state: State { published.withLock { $0 } }

    // MARK: - From any thread

    /// Queues an action for the whole way.
    func dispatch(_ action: any Action) { queue.dispatch(.action(action, from: nil)) }

    /// Changes the entries in the drain, without calling listeners.
    func reset(_ change: @escaping @Sendable (inout KeyedState) -> Void) {
        queue.enqueue { [self] in
            let old = box.state
            change(&box.state.entries)
            publish()
            reported = []
            // Released outside the lock: a value's deinitialization may call back here.
            withExtendedLifetime(old) {}
        }
    }

    /// Adds a listener at the end.
    func add(_ listener: Listener<StateEvent>) {
        queue.enqueue { [self] in
            if !isClosed { withExtendedLifetime(listeners.append(listener)) {} }
        }
    }

    /// Adds an action listener at the end.
    func add(_ listener: Listener<any Action>) {
        queue.enqueue { [self] in
            if !isClosed { withExtendedLifetime(actionListeners.append(listener)) {} }
        }
    }

    /// Calls back in the drain with the state at that moment.
    func inform(_ callback: @escaping @Sendable (State) -> Void) { queue.dispatch(.inform(callback)) }

    /// Removes the listeners whose registration has ended.
    func removeEnded() {
        queue.enqueue { [self] in
            withExtendedLifetime((listeners.removeEnded(), actionListeners.removeEnded())) {}
        }
    }

    /// Releases middlewares and listeners.
    func close() {
        queue.enqueue { [self] in
            isClosed = true
            queue.close()
            // Released at the end, when nothing here is being changed: objects they hold may call back here.
            withExtendedLifetime((middlewares, listeners, actionListeners)) {
                middlewares = []
                listeners = ListenerList()
                actionListeners = ListenerList()
            }
        }
    }

    // MARK: - A pass

    /// Takes one action from its place to the end, or calls back with the state.
    func process(_ element: Element) {
        switch element {
        case .inform(let callback): callback(box.state)
        case .action(let action, nil):
            if actionListeners.tell(action) { removeEnded() }
            run(action, from: 0)
        case .action(let action, let index?): run(action, from: index)
        }
    }

    /// Lets the middleware at the index decide, or reduces after the last one.
    private func run(_ action: any Action, from index: Int) {
        guard index < middlewares.count else { return reduce(action) }
        let passage = Passage()
        middlewares[index].handle(action, api: api) { [self] action in
            if queue.isCurrent, passage.isOpen, !isReducing {
                run(action, from: index + 1)
            } else {
                queue.dispatch(.action(action, from: index + 1))
            }
        }
        passage.close()
    }

    /// Lets the reducers change their entries, and calls the listeners of changed ones.
    private func reduce(_ action: any Action) {
        if action is any AsyncAction {
            onProblem(.asyncActionNotExecuted(action: Element.action(action, from: nil).name))
        }
        let old = box.state
        let result = reducer.reduce(&box.changing.entries, action)
        for problem in result.problems where !reported.contains(problem) {
            reported.append(problem)
            onProblem(problem)
        }
        guard !result.changedKeys.isEmpty else { return }
        publish()
        // Here too the old values outlive the lock.
        if listeners.tell((old, box.state, Set(result.changedKeys))) { removeEnded() }
    }

    /// Makes the state visible to other threads.
    private func publish() {
        let state = box.state
        published.withLock { $0 = state }
    }

    static let name = "Suas.Store"

    /// Whether a reducer is running.
    var isReducing: Bool { box.isReducing }

    func noticeDispatchInReducer(_ element: Element) {
        if case .action = element { onProblem(.dispatchFromReducer(action: element.name)) }
    }
}
