// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
private import Synchronization

/// What a store's queue runs: action listeners, middlewares, reducers, listeners; see `Store` for what it promises.
///
/// `@unchecked Sendable`: the variables are touched only in the drain of `queue`, apart from `published`, which has a lock.
/// What callers on any thread look at (`isReducing`, `Passage.isOpen`) stands behind a check of the drain.
final class StoreBody: DrainBody, @unchecked Sendable {
    /// What waits for its turn.
    enum Element: Sendable {
        /// An action that starts at the middleware with this index, nil for the action listeners ahead of them.
        case action(any Action, from: Int?)
        /// Somebody who wants to know the state.
        case inform(@Sendable (State) -> Void)

        /// The name by which problems call the store.
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
    private var links: [MiddlewareLink] = []
    /// Told of changes, in this order.
    private var listeners = ListenerList<StateListener>()
    /// Told of actions, in this order.
    private var actionListeners = ListenerList<ActionListener>()
    /// Whether the store is released.
    private var isClosed = false
    /// Problems of entries that were reported since the last reset.
    private var reported: [StoreProblem] = []
    /// Told about misuse, on the thread that came upon it.
    private let onProblem: @Sendable (StoreProblem) -> Void

    /// How many actions of a chain are told to name its cycle.
    private static let recentLength = 8

    /// The body of one store; reports what is wrong with the reducers.
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
        let api = api
        // The cycle this makes is broken when the store is released.
        links = middleware.map { MiddlewareLink($0, api: api) }
        for problem in reducer.problems { onProblem(problem) }
        queue.open(self)
    }

    /// The functions that middlewares are given.
    private var api: MiddlewareAPI {
        MiddlewareAPI(getState: { [self] in state }, dispatch: { [self] in dispatch($0) })
    }

    /// The state after the last action that was reduced; callable from any thread.
    var state: State { published.withLock { $0 } }

    // MARK: - From any thread

    /// Queues an action for the whole way.
    func dispatch(_ action: any Action) { queue.dispatch(.action(action, from: nil)) }

    /// Changes the entries in the drain, without telling listeners.
    func reset(_ change: @escaping @Sendable (inout KeyedState) -> Void) {
        queue.enqueue { [self] in
            let old = box.state
            change(&box.state.entries)
            publish()
            reported = []
            // Released after the lock: what a value does when it goes may come back here.
            withExtendedLifetime(old) {}
        }
    }

    /// Adds a listener behind the others.
    func add(_ listener: StateListener) {
        queue.enqueue { [self] in
            if !isClosed { withExtendedLifetime(listeners.append(listener)) {} }
        }
    }

    /// Adds an action listener behind the others.
    func add(_ listener: ActionListener) {
        queue.enqueue { [self] in
            if !isClosed { withExtendedLifetime(actionListeners.append(listener)) {} }
        }
    }

    /// Calls back in the drain with the state at that moment.
    func inform(_ callback: @escaping @Sendable (State) -> Void) { queue.dispatch(.inform(callback)) }

    /// Forgets the listeners that do not want to hear any more.
    func removeEnded() {
        queue.enqueue { [self] in
            withExtendedLifetime((listeners.removeEnded(), actionListeners.removeEnded())) {}
        }
    }

    /// Lets go of middlewares and listeners.
    func close() {
        queue.enqueue { [self] in
            isClosed = true
            queue.close()
            // Released at the end, when nothing here is being changed: what they hold may come back here.
            withExtendedLifetime((links, listeners, actionListeners)) {
                links = []
                listeners = ListenerList()
                actionListeners = ListenerList()
            }
        }
    }

    // MARK: - A pass

    /// Takes one action from its place to the end, or tells somebody the state.
    func process(_ element: Element) {
        switch element {
        case .inform(let callback): callback(box.state)
        case .action(let action, nil):
            if actionListeners.forEach({ $0.tell(action) }) { removeEnded() }
            run(action, from: 0)
        case .action(let action, let index?): run(action, from: index)
        }
    }

    /// Lets the middleware at the index decide, or reduces behind the last one.
    private func run(_ action: any Action, from index: Int) {
        guard index < links.count else { return reduce(action) }
        let passage = Passage()
        links[index].handle(action, api: api) { [self] action in
            if queue.isCurrent, passage.isOpen, !isReducing {
                run(action, from: index + 1)
            } else {
                queue.dispatch(.action(action, from: index + 1))
            }
        }
        passage.close()
    }

    /// Lets the reducers change their entries, and tells the listeners of those that changed.
    private func reduce(_ action: any Action) {
        if action is any AsyncAction {
            onProblem(.asyncActionNotExecuted(action: Element.action(action, from: nil).name))
        }
        let old = box.state
        var result = CombinedReducer.Result()
        box.change { state in result = reducer.reduce(&state.entries, action) }
        for problem in result.problems where !reported.contains(problem) {
            reported.append(problem)
            onProblem(problem)
        }
        guard !result.changedKeys.isEmpty else { return }
        publish()
        // Here too the old values outlive the lock.
        tell(old, box.state, Set(result.changedKeys))
    }

    /// Lets other threads see the state.
    private func publish() {
        let state = box.state
        published.withLock { $0 = state }
    }

    /// Tells the listeners; those that end meanwhile do not hear any more.
    private func tell(_ old: State, _ new: State, _ changed: Set<StateKey>) {
        let hasEnded = listeners.forEach { listener in
            if let key = listener.key, !changed.contains(key) { return }
            listener.tell(old, new)
        }
        if hasEnded { removeEnded() }
    }

    static let name = "Suas.Store"

    /// Whether a reducer is running.
    var isReducing: Bool { box.isReducing }

    func noticeDispatchInReducer(_ element: Element) {
        if case .action = element { onProblem(.dispatchFromReducer(action: element.name)) }
    }
}
