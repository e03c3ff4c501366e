// SPDX-License-Identifier: Apache-2.0

/// Owns the state, and runs actions through interceptors, middleware and reducer one at a time, first in, first out.
///
/// For one action:
///
///     0  intercept     interceptors pass it on, change it or stop it; everything below runs inside their `next`
///     1  handle        the middleware sees the action and the state before
///     2  reduce        once, in place
///     3  observe       observers are called, if the reducer reports a change
///     4  run outputs   the returned IO runs, last middleware first, and sees the state after; outside all interceptors
///     5  queue         everything that was emitted waits at the end of the queue
///
/// `dispatch` may be called from anywhere. If no thread is draining the queue, the caller drains it on its own thread;
/// otherwise it returns at once. It never hops and never nests. Middlewares may rely on the order, never on a thread.
/// Interceptors, middlewares, reducers and maps need not be `Sendable`: they belong to the store from its creation on.
///
/// When the last reference is released, running effects are cancelled, and outputs that arrive later are passed to
/// `StoreHooks.onLateAction`.
///
/// ```swift
/// let store = Store(initialState: Lamp(), reducer: switching)
/// let subscription = store.observe { lamp in trace.add("\(lamp.brightness)") }
/// store.dispatch(.dim(3))
/// ```
public final class Store<ActionType: Sendable, StateType>: StoreType, DrainOwner {
    /// The waiting actions; gives the body its turns.
    @usableFromInline let queue: DrainQueue<StoreBody<ActionType, StateType>>
    /// The state, the reducer and the middleware.
    @usableFromInline let body: StoreBody<ActionType, StateType>

    /// Creates a store from parts that may know each other.
    ///
    /// - Parameters:
    ///   - parts: state, reducer and middleware, which from now on belong to the store.
    ///   - limits: how much one action may lead to before it is cut and `hooks.onLoop` called, and how much may wait.
    ///   - effects: how the work of effects is run.
    ///   - hooks: receive misuse and losses.
    @inlinable
    public init(
        _ parts: sending StoreParts<ActionType, StateType>, limits: DrainLimits = DrainLimits(),
        effects: EffectExecution = .tasks, hooks: StoreHooks<ActionType> = StoreHooks()
    ) {
        queue = DrainQueue(limits: limits, effects: effects, hooks: hooks.ofQueue)
        body = StoreBody(parts, in: queue)
        queue.open(body)
        start()
    }

    /// Creates a store from state, reducer, middleware and interceptors; see `init(_:limits:effects:hooks:)`.
    @inlinable
    public convenience init<Middleware: MiddlewareProtocol<ActionType, ActionType, StateType>>(
        initialState: sending StateType, reducer: sending Reducer<ActionType, StateType>,
        middleware: sending Middleware, interceptors: sending [AnyInterceptor<ActionType, StateType>] = [],
        limits: DrainLimits = DrainLimits(), effects: EffectExecution = .tasks,
        hooks: StoreHooks<ActionType> = StoreHooks()
    ) {
        self.init(
            StoreParts(
                initialState: initialState, reducer: reducer, middleware: middleware,
                interceptors: interceptors),
            limits: limits, effects: effects, hooks: hooks)
    }

    /// Creates a store without middleware.
    @inlinable
    public convenience init(initialState: sending StateType, reducer: sending Reducer<ActionType, StateType>)
    {
        self.init(
            initialState: initialState, reducer: reducer,
            middleware: IdentityMiddleware<ActionType, ActionType, StateType>())
    }

    deinit {
        // In the order of the queue, so that a current action finds everything in place.
        queue.enqueue { [queue, body] in
            queue.close()
            withExtendedLifetime(body.observers.removeAll()) {}
            body.middleware.cancelEffects()
        }
    }

    /// Runs the IO that the middlewares return before the first action.
    @usableFromInline
    func start() {
        queue.withExclusiveAccess { [body] in body.middleware.start(state: body.state).run(body.output) }
    }

    /// Notifies the middlewares of the end: cancels effects that are not `finishing` after their last action, then runs the
    /// work that `stopping` returns.
    ///
    /// Its output is processed as usual, and later actions are still taken; a second call does nothing. To wait for effects
    /// that finish, look at `activity`. Callable from any thread; waits for its turn like `withState`.
    public func stop() { queue.withExclusiveAccess { [body] in body.stop() } }

    /// Processes the action now if no thread is draining; otherwise leaves it to the draining thread.
    ///
    /// Called from outside on an idle store, it returns when the action, and everything emitted synchronously in answer to it,
    /// has been processed. Called in the drain (by a middleware, a reducer or an observer of this store), or while another
    /// thread drains, it returns at once: the action waits at the end of the queue. Callable from any thread. If the store
    /// limits waiting actions, threads that drain nothing wait here while its queue is full.
    @inlinable
    public func dispatch(_ dispatchedAction: DispatchedAction<ActionType>) {
        queue.dispatch(dispatchedAction)
    }

    /// Reads the state between two actions, or the current one when called in the drain.
    ///
    /// Everything this thread dispatched before has been processed by then. While another thread is draining, this one sleeps
    /// until its turn comes; neither must hold a lock that the other one's work needs. Two stores that read each other inside
    /// an action do not wait forever: one of them gets the state that the other has in the middle of its action, which is
    /// reported as `Misuse.circularRead`. Traps inside a reducer of this store.
    public func withState<Result>(_ body: (StateType) -> Result) -> Result {
        queue.withExclusiveAccess { [own = self.body] in body(own.box.current) }
    }

    public func read(_ body: (StateType) -> Void) { withState(body) }

    /// Counts the running effects.
    public var activity: Activity { queue.activity }

    public var drain: Drain { queue }

    public func observe(
        _ policy: ShouldEmitValue<StateType> = .always, _ observer: @escaping @Sendable (StateType) -> Void
    ) -> Subscription {
        let registration = ObserverRegistration()
        queue.withExclusiveAccess { [body] in
            body.observers.append(
                StateObserver(registration: registration, policy: policy, body: observer))
        }
        return Subscription { [weak body, weak queue] in
            registration.end()
            queue?.enqueue { [weak body] in body?.removeObserver(registration) }
        }
    }
}

extension Store where StateType: Sendable {
    /// A copy of the state between two actions; waits for a turn, and traps in a reducer, as `withState` does.
    public var state: StateType { withState { $0 } }
}
