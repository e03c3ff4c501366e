// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The engine of a store; see `Store` for what it promises.
///
/// `@unchecked Sendable` (inherited): everything below the atomics is touched only between `enter` and `leave`, which the
/// owner word of `Drain` grants to one thread at a time; its sequentially consistent operations order one drain after
/// the other.
@usableFromInline
final class StoreCore<Action: Sendable, State>: Drain, @unchecked Sendable {
    /// One thing to be done.
    @usableFromInline
    enum Entry {
        /// An action, how many synchronous outputs led to it, and the end of that chain when it is long.
        case action(DispatchedAction<Action>, depth: Int, trail: DispatchTrail<Action>?)
        /// An action that goes on behind an interceptor, with depth and trail as above.
        case passage(LatePassage<Action>, depth: Int, trail: DispatchTrail<Action>?)
        /// Work brought in from another thread.
        case job(@Sendable () -> Void)
    }

    /// The state.
    @usableFromInline let box: StateBox<State>
    /// Reads the state; handed to middlewares as it is.
    @usableFromInline let getState: GetState<State>
    /// Applied once for each action.
    @usableFromInline let reducer: Reducer<Action, State>
    /// Middleware and output; nil once the store is released.
    @usableFromInline var running: RunningMiddleware<Action, State>?
    /// Told about changes.
    @usableFromInline var observers: [StateObserver<State>] = []
    /// Entries that wait, in order.
    @usableFromInline var queue = StoreQueue<Entry>()
    /// What a job dispatched; it takes the job's place, ahead of what is queued.
    @usableFromInline var placed = StoreQueue<Entry>()
    /// What the middleware answered to the action in work, while the interceptors around it finish.
    @usableFromInline var answer: IO<Action> = .pure()
    /// The depth given to actions dispatched synchronously at this moment; 0 between two actions, as in jobs.
    @usableFromInline var nextDepth = 0
    /// The chain that leads to the action in work, when it is long.
    @usableFromInline var trail: DispatchTrail<Action>?
    /// Synchronous outputs one input may lead to, one after the other.
    @usableFromInline let maximumChain: Int
    /// Told about misuse.
    @usableFromInline let hooks: StoreHooks<Action>
    /// Counts running effects.
    @usableFromInline let activity = Activity()

    /// How many actions of a chain are remembered to name its cycle.
    @usableFromInline static var trailLength: Int { 32 }

    /// Runs everything there is, compiled for this store's types.
    @usableFromInline var work: () -> Void = {}

    /// The engine of one store.
    @inlinable
    init(
        state: State, reducer: Reducer<Action, State>, middleware: AnyMiddleware<Action, Action, State>,
        interceptor: AnyInterceptor<Action, State>?, maximumChain: Int, hooks: StoreHooks<Action>
    ) {
        let box = StateBox(state)
        self.box = box
        getState = GetState { box.current }
        self.reducer = reducer
        self.maximumChain = maximumChain
        self.hooks = hooks
        super.init(onMisuse: hooks.onMisuse)
        // The cycle this makes is broken when the store is released.
        running = RunningMiddleware(
            middleware, behind: interceptor,
            output: AnyActionHandler(
                ActionSink(drain: self, activity: activity) { [self] in dispatchInside($0) }))
        work = { [unowned self] in runQueue() }
    }

    /// Takes an action from any thread.
    @inlinable
    func dispatch(_ action: DispatchedAction<Action>) {
        let me = Drain.thread
        if enter(me) {
            // Mail may have come since the last drainer looked, some of it from this very thread.
            if waiting.load(ordering: .relaxed) > 0 {
                collectMail()
                queue.append(.action(action, depth: 0, trail: nil))
            } else {
                process(action, depth: 0, trail: nil)
            }
            finish()
        } else if owner.load(ordering: .relaxed) == me {
            dispatchInside(action)
        } else {
            enqueue { [self] in dispatchInside(action) }
        }
    }

    /// Queues an action dispatched in the drain: an output, one brought by a job, or misuse from a reducer.
    @inlinable
    func dispatchInside(_ action: DispatchedAction<Action>) {
        if box.isReducing { report(.dispatchFromReducer(dispatcher: action.dispatcher)) }
        if nextDepth == 0 { return placed.append(.action(action, depth: 0, trail: nil)) }
        if waiting.load(ordering: .relaxed) > 0 { collectMail() }
        guard nextDepth > maximumChain - StoreCore.trailLength else {
            return queue.append(.action(action, depth: nextDepth, trail: nil))
        }
        guard let link = lengthenTrail(action) else { return }
        queue.append(.action(action, depth: nextDepth, trail: link))
    }

    /// Adds an action to a long chain; nil when that cuts the chain.
    @usableFromInline
    func lengthenTrail(_ action: DispatchedAction<Action>) -> DispatchTrail<Action>? {
        let link = DispatchTrail(action, after: trail)
        guard nextDepth > maximumChain else { return link }
        hooks.onLoop(DispatchLoop(limit: maximumChain, recent: link.actions))
        return nil
    }

    /// Runs one action through middleware, reducer, observers and outputs.
    @inlinable
    func process(_ action: DispatchedAction<Action>, depth: Int, trail: DispatchTrail<Action>?) {
        guard let running else { return drop(action) }
        nextDepth = depth &+ 1
        if trail != nil || self.trail != nil { self.trail = trail }
        if let interceptor = running.interceptor, interceptor.concerns(action.action) {
            return intercept(action, by: interceptor, running)
        }
        let io = running.middleware.handle(action: action.action, from: action.dispatcher, state: getState)
        if observers.isEmpty {
            _ = box.reduce(action.action, by: reducer)
        } else {
            reduceAndNotify(action.action)
        }
        io.run(running.output)
        nextDepth = 0
    }

    /// Counts and reports an action that arrived after the store was released.
    @usableFromInline
    func drop(_ action: DispatchedAction<Action>) {
        activity.countLateAction()
        hooks.onLateAction(action)
    }

    /// Reduces and tells the observers, which may compare the state before and after.
    @inlinable
    func reduceAndNotify(_ action: Action) {
        // A second reference would make the reducers copy what they change, so it is taken for comparing only.
        let previous = observers.contains(where: \.compares) ? box.state : nil
        guard box.reduce(action, by: reducer) == .changed else { return }
        for observer in observers { observer.notify(previous: previous, new: box.state) }
    }

    /// Runs what a job dispatched, in the job's place.
    @inlinable
    func processPlaced() {
        while let entry = placed.popFirst() { run(entry) }
    }

    /// Empties the queue and gives the drain up.
    @inlinable
    func finish() {
        if queue.count > 0 || waiting.load(ordering: .relaxed) > 0 { runQueue() }
        leave()
        if waiting.load(ordering: .sequentiallyConsistent) > 0 { drainIfIdle() }
    }

    override func runToEnd() { work() }

    /// Runs queue and mail until both are empty.
    @inlinable
    func runQueue() {
        repeat {
            while let entry = queue.popFirst() { run(entry) }
            trail = nil
            if waiting.load(ordering: .relaxed) > 0 { collectMail() }
            if queue.count == 0 {
                for job in takeRestWork() { queue.append(.job(job)) }
            }
        } while queue.count > 0
    }

    /// Does one thing.
    @inlinable
    func run(_ entry: Entry) {
        switch entry {
        case .action(let action, let depth, let trail): process(action, depth: depth, trail: trail)
        case .passage(let passage, let depth, let trail): process(passage, depth: depth, trail: trail)
        case .job(let job):
            job()
            processPlaced()
        }
    }

    /// Moves the mail behind what is queued.
    @usableFromInline
    func collectMail() {
        for job in takeMail() { queue.append(.job(job)) }
    }

    /// Runs a closure on this thread with the right to drain, and returns its result.
    ///
    /// Everything this thread dispatched before is done by then. When another thread is draining this one sleeps until
    /// its turn in the queue comes, and the drainer sleeps until the closure is done.
    @usableFromInline
    func withExclusiveAccess<Result>(_ body: () -> Result) -> Result {
        if isCurrent { return body() }
        let me = Drain.thread
        while !enter(me) {
            let turn = Turn(of: me, in: self)
            enqueue { turn.offer() }
            if turn.wait() {
                defer { turn.giveBack() }
                return body()
            }
        }
        if waiting.load(ordering: .relaxed) > 0 { runQueue() }
        let result = body()
        processPlaced()
        finish()
        return result
    }

    /// Takes an observer out of the list.
    func removeObserver(_ registration: ObserverRegistration) {
        // The list is replaced before the observer goes: what it holds may come back here when it goes.
        let before = observers
        observers = before.filter { $0.registration !== registration }
        withExtendedLifetime(before) {}
    }

    /// Lets go of the middleware; running effects are cancelled, later actions are reported.
    @usableFromInline
    func close() {
        enqueue { [self] in
            let released = (running, observers)
            running = nil
            observers = []
            released.0?.middleware.cancelEffects()
        }
    }
}
