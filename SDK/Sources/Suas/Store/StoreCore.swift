// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
private import Synchronization

/// The engine of a store; see `Store` for what it promises.
///
/// `@unchecked Sendable` (inherited from `Drain`): the variables are touched only in jobs of the drain, which its owner word
/// grants to one thread at a time, each drain ordered after the one before. The state alone is read from elsewhere, and has
/// a lock. What callers on any thread look at (`depth`, `recent`, `isReducing`) stands behind a check of `isCurrent`.
final class StoreCore: Drain, @unchecked Sendable {
    /// The state after the last action; written in the drain.
    private let current: Lock<State>
    /// The reducers; each is called in the drain.
    private let reducer: CombinedReducer
    /// The middlewares; emptied when the store is released.
    private var links: [MiddlewareLink] = []
    /// Told of changes, in this order.
    private var listeners: [StateListener] = []
    /// Told of actions, in this order.
    private var actionListeners: [ActionListener] = []
    /// Whether the store is released.
    private var isClosed = false
    /// Whether a reducer is running.
    private var isReducing = false
    /// How many dispatches led to the action in work, each in answer to the one before; nil between two actions.
    private var depth: Int?
    /// The types of the last actions of the chain that leads to the action in work; empty unless it is long.
    private var recent: [String] = []
    /// Problems of entries that were reported since the last reset.
    private var reported: [StoreProblem] = []
    /// How many links a chain may have behind its first action.
    private let maximumChain: Int
    /// Told about misuse, on the thread that came upon it.
    private let onProblem: @Sendable (StoreProblem) -> Void

    /// How many actions of a chain are remembered to name its cycle.
    private static let recentLength = 8

    /// The engine of one store; reports what is wrong with the reducers.
    init(
        state: KeyedState, reducer: sending CombinedReducer, middleware: sending [any Middleware],
        maximumChain: Int, onProblem: @escaping @Sendable (StoreProblem) -> Void
    ) {
        current = Lock(State(state))
        self.reducer = reducer
        self.maximumChain = maximumChain
        self.onProblem = onProblem
        super.init()
        let api = api
        // The cycle this makes is broken when the store is released.
        links = middleware.map { MiddlewareLink($0, api: api) }
        for problem in reducer.problems { onProblem(problem) }
    }

    /// The functions that middlewares are given.
    private var api: MiddlewareAPI {
        MiddlewareAPI(getState: { [self] in state }, dispatch: { [self] in dispatch($0) })
    }

    /// The state after the last action that was reduced.
    var state: State { current.withLock { $0 } }

    /// Queues an action for the whole way.
    func dispatch(_ action: any Action) { queue(action, from: nil) }

    /// Changes the entries in the drain, without telling listeners.
    func reset(_ change: @escaping @Sendable (inout KeyedState) -> Void) {
        enqueue { [self] in
            let old = state
            var new = old
            change(&new.entries)
            current.withLock { $0 = new }
            reported = []
            // Released after the lock: what a value does when it goes may come back here.
            withExtendedLifetime(old) {}
        }
    }

    /// Adds a listener behind the others.
    func add(_ listener: StateListener) {
        enqueue { [self] in if !isClosed { listeners.append(listener) } }
    }

    /// Adds an action listener behind the others.
    func add(_ listener: ActionListener) {
        enqueue { [self] in if !isClosed { actionListeners.append(listener) } }
    }

    /// Calls back in the drain with the state at that moment.
    func inform(_ callback: @escaping @Sendable (State) -> Void) {
        queue(named: "informWithCurrentState") { [self] in callback(state) }
    }

    /// Forgets the listeners that do not want to hear any more.
    func removeEnded() {
        enqueue { [self] in
            listeners.removeAll { !$0.registration.isActive }
            actionListeners.removeAll { !$0.registration.isActive }
        }
    }

    /// Lets go of middlewares and listeners.
    func close() {
        enqueue { [self] in
            isClosed = true
            // Released at the end, when nothing here is being changed: what they hold may come back here.
            withExtendedLifetime((links, listeners, actionListeners)) {
                links = []
                listeners = []
                actionListeners = []
            }
        }
    }

    override func runToEnd() {
        var jobs = takeMail()
        while !jobs.isEmpty {
            for job in jobs { job() }
            jobs = takeMail()
            if jobs.isEmpty { jobs = takeRestWork() }
        }
    }

    /// Queues an action that starts at the middleware with this index, nil for the action listeners ahead of them.
    private func queue(_ action: any Action, from index: Int?) {
        if isCurrent, isReducing { onProblem(.dispatchFromReducer(action: StoreCore.name(of: action))) }
        queue(named: StoreCore.name(of: action)) { [self] in process(action, from: index) }
    }

    /// Queues work; what is queued by work of this kind continues its chain, which is cut when it is too long.
    private func queue(named name: @autoclosure () -> String, _ work: @escaping @Sendable () -> Void) {
        guard isCurrent, let depth else {
            return enqueue { [self] in step(depth: 0, recent: [], work) }
        }
        var trail = recent
        if depth >= maximumChain - StoreCore.recentLength {
            trail = trail.suffix(StoreCore.recentLength - 1) + [name()]
        }
        guard depth < maximumChain else {
            return onProblem(.dispatchLoop(limit: maximumChain, recent: trail))
        }
        enqueue { [self, trail] in step(depth: depth + 1, recent: trail, work) }
    }

    /// Does queued work as a link of its chain.
    private func step(depth: Int, recent: [String], _ work: () -> Void) {
        self.depth = depth
        self.recent = recent
        work()
        self.depth = nil
        self.recent = []
    }

    /// Takes one action from its place to the end.
    private func process(_ action: any Action, from index: Int?) {
        guard !isClosed else { return onProblem(.storeReleased(action: StoreCore.name(of: action))) }
        if index == nil {
            for listener in actionListeners where listener.registration.isActive { listener.tell(action) }
        }
        run(action, from: index ?? 0)
    }

    /// Lets the middleware at the index decide, or reduces behind the last one.
    private func run(_ action: any Action, from index: Int) {
        guard index < links.count else { return reduce(action) }
        let passage = Passage()
        links[index].handle(action, api: api) { [self] action in
            if isCurrent, passage.isOpen, !isReducing {
                run(action, from: index + 1)
            } else {
                queue(action, from: index + 1)
            }
        }
        passage.close()
    }

    /// Lets the reducers change their entries, and tells the listeners of those that changed.
    private func reduce(_ action: any Action) {
        if action is any AsyncAction {
            onProblem(.asyncActionNotExecuted(action: StoreCore.name(of: action)))
        }
        let old = state
        var new = old
        var changed: Set<StateKey> = []
        isReducing = true
        for member in reducer.members {
            switch member.reduce(old[member.key], action) {
            case .unchanged: break
            case .changed(let value):
                new.entries[member.key] = value
                changed.insert(member.key)
            case .failed(let problem):
                guard !reported.contains(problem) else { continue }
                reported.append(problem)
                onProblem(problem)
            }
        }
        isReducing = false
        guard !changed.isEmpty else { return }
        current.withLock { $0 = new }
        // Here too the old values outlive the lock.
        tell(old, new, changed)
    }

    /// Tells the listeners; those that end meanwhile do not hear any more.
    private func tell(_ old: State, _ new: State, _ changed: Set<StateKey>) {
        for listener in listeners where listener.registration.isActive {
            if let key = listener.key, !changed.contains(key) { continue }
            listener.tell(old, new)
        }
    }

    /// The name of an action's type, for problems.
    private static func name(of action: any Action) -> String { "\(type(of: action))" }
}
