// SPDX-License-Identifier: Apache-2.0

/// The processor of a store's queue: interceptors, middleware, reducer, observers, outputs; `Store` has the guarantees.
///
/// Released once the store has been released and the current pass has ended.
///
/// `@unchecked Sendable`: apart from `queue`, which is `Sendable`, everything is touched only in the drain, or before other
/// code knows the store.
@usableFromInline
final class StoreBody<Action: Sendable, State>: DrainBody, @unchecked Sendable {
    @usableFromInline typealias Element = DispatchedAction<Action>

    /// Gives the body its turns.
    @usableFromInline let queue: DrainQueue<StoreBody>
    /// The middleware of the store, all members composed.
    @usableFromInline let middleware: AnyMiddleware<Action, Action, State>
    /// All interceptors in a row; nil when there is none.
    @usableFromInline let interceptor: AnyInterceptor<Action, State>?
    /// Applied once for each action.
    @usableFromInline let reducer: Reducer<Action, State>
    /// Holds the store's state.
    @usableFromInline let box: StateBox<State>
    /// Reads the state; passed to middlewares as it is.
    @usableFromInline let state: GetState<State>
    /// The state for the interceptors, which may change it too.
    @usableFromInline lazy var own = OwnState<Action, State>(state) { [weak self] in
        self?.reduceOnly($0.action)
    }
    /// Puts emitted actions at the end of the queue.
    @usableFromInline let output: AnyActionHandler<Action>
    /// The observers of changes, in order of registration.
    @safe @exclusivity(unchecked) @usableFromInline var observers = ObserverList<State>()
    /// Whether the middlewares have been notified of the end.
    @safe @exclusivity(unchecked) private var isStopped = false

    /// Takes over the parts of a store.
    @inlinable
    init(_ parts: StoreParts<Action, State>, in queue: DrainQueue<StoreBody>) {
        let box = StateBox(parts.initialState)
        self.queue = queue
        self.box = box
        middleware = parts.middleware
        interceptor = .row(parts.interceptors)
        reducer = parts.reducer
        state = GetState { box.current }
        // The cycle this makes is broken when the store closes its queue.
        output = AnyActionHandler(
            ActionSink(drain: queue, activity: queue.activity) { queue.append($0) })
    }

    // MARK: - A pass

    @inlinable
    func process(_ dispatched: DispatchedAction<Action>) {
        if let interceptor, interceptor.concerns(dispatched.action) {
            return intercept(dispatched, by: interceptor)
        }
        let answer = advance(dispatched)
        if !answer.isPure { answer.run(output) }
    }

    /// Takes an action that passed all interceptors through middleware, reducer and observers; returns the answer.
    @inlinable
    func advance(_ dispatched: DispatchedAction<Action>) -> IO<Action> {
        let answer = middleware.handle(
            action: dispatched.action, from: dispatched.dispatcher, state: state)
        reduce(dispatched.action)
        return answer
    }

    /// Changes the state, and calls the observers.
    @inlinable
    func reduce(_ action: Action) {
        if observers.isEmpty {
            _ = reducer.apply(action, &box.changing)
        } else {
            reduceAndNotify(action)
        }
    }

    /// Reduces an action that an interceptor applies; traps inside a reducer.
    @usableFromInline
    func reduceOnly(_ action: Action) {
        if isReducing { trap("a reducer must not apply actions; it is given the state it changes") }
        reduce(action)
    }

    /// Reduces and calls the observers, which may compare the states before and after.
    @inlinable
    func reduceAndNotify(_ action: Action) {
        // A second reference would make the reducers copy the state they change, so it is taken only for comparing.
        let previous = observers.places.contains { $0?.compares == true } ? box.state : nil
        guard reducer.apply(action, &box.changing) == .changed else { return }
        for observer in observers.places { observer?.notify(previous: previous, new: box.state) }
    }

    /// Takes an action through the interceptors, and through the rest if they let it pass.
    ///
    /// One entry of the queue advances at most once: `Passage` lets only the first call of a `next` run at once, and puts
    /// every other one into the queue. A `next` that is kept retains the queue, not this.
    @inlinable
    func intercept(_ dispatched: DispatchedAction<Action>, by interceptor: AnyInterceptor<Action, State>) {
        var answer = IO<Action>.pure()
        let output = output
        let runAnswer = {
            // Released before it runs, and before the next action: middlewares refill the body of an answer.
            exchange(&answer, with: .pure()).run(output)
        }
        let onward = Onward<Action>(drain: queue, activity: queue.activity) { [unowned self] changed in
            answer = advance(dispatched.replaced(by: changed))
        } post: { [queue] changed, body in
            queue.append(delayed: { dispatched.replaced(by: changed()) }) {
                body()
                runAnswer()
            }
        }
        // Not `AnyInterceptor.enter`: `concerns` has been called already.
        interceptor.box.enter(
            Interception(
                action: dispatched.action, from: dispatched.dispatcher, state: own, output: output,
                onward: onward))
        runAnswer()
    }

    // MARK: - Misuse and observers

    @inlinable var isReducing: Bool { box.isReducing }

    @usableFromInline static var name: String { "Store<\(Action.self), \(State.self)>" }

    @usableFromInline
    func noticeDispatchInReducer(_ dispatched: DispatchedAction<Action>) {
        queue.report(.dispatchFromReducer(dispatcher: dispatched.dispatcher))
    }

    /// Notifies the middlewares of the end, once.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        middleware.stopEffects()
        middleware.stopping(state: state).run(output)
    }

    /// Removes an observer.
    func removeObserver(_ registration: ObserverRegistration) {
        withExtendedLifetime(observers.remove(registration)) {}
    }
}
