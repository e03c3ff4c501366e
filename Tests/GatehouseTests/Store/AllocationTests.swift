// SPDX-License-Identifier: Apache-2.0

import CAllocations
import Gatehouse
import Testing

/// Dispatch must not allocate; checked in release builds, where the optimiser does its part. In debug builds the same
/// runs prove that the counter counts and that nothing grows with the number of actions.
///
/// Run with `swift test --build-system native -c release --filter AllocationTests`.
@Suite(.timeLimit(.minutes(10)))
struct AllocationTests {
    /// What a release build allows for all actions of a run together.
    #if DEBUG
        private static let allowedForEachAction = 30
    #else
        private static let allowedForEachAction = 0
    #endif

    /// An app's action, trivial to copy.
    private enum AppAction: Sendable {
        case number(Int)
        case other
    }

    /// The state of an app with several parts.
    private struct AppState: Sendable {
        var number = 0
    }

    /// Allocations of this thread while it dispatches the actions, after a few to warm up.
    private func allocations<Middleware: MiddlewareProtocol<AppAction, AppAction, AppState>>(
        _ middleware: sending Middleware,
        interceptors: sending [AnyInterceptor<AppAction, AppState>] = [], count: Int = 10_000
    ) -> Int {
        let store = Store<AppAction, AppState>(
            initialState: AppState(),
            reducer: .reduce { action, state in if case .number(let value) = action { state.number &+= value }
            },
            middleware: middleware, interceptors: interceptors)
        let source = ActionSource(file: "test", function: "", line: 1, info: nil)
        for _ in 0..<100 { store.dispatch(.number(1), from: source) }
        let before = allocations_of_this_thread()
        for _ in 0..<count { store.dispatch(.number(1), from: source) }
        let made = Int(allocations_of_this_thread() - before)
        #expect(store.withState { $0.number } == count + 100)
        return made
    }

    /// Fits a middleware of numbers to the app and puts a gate in front.
    private func fitted<Middleware: MiddlewareProtocol<Int, Int, Int>>(
        _ middleware: Middleware
    ) -> AnyMiddleware<AppAction, AppAction, AppState> {
        middleware.eraseToAnyMiddleware()
            .lift(
                inputAction: { (action: AppAction) in
                    if case .number(let value) = action { value } else { nil }
                },
                outputAction: AppAction.number, state: { (state: AppState) in state.number }
            )
            .gated(stateMap: { (state: AppState) in state.number >= 0 })
            .eraseToAnyMiddleware()
    }

    /// Fails when a run made more allocations than its actions may.
    private func expectFew(
        _ made: Int, _ count: Int = 10_000, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard allocations_are_counted() else { return }
        #expect(made <= count * Self.allowedForEachAction, sourceLocation: sourceLocation)
    }

    @Test func `the counter counts`() {
        guard allocations_are_counted() else { return }
        let before = allocations_of_this_thread()
        let objects = (0..<10).map { UnsafeShare($0) }
        #expect(allocations_of_this_thread() - before >= 10)
        #expect(objects.count == 10)
    }

    @Test func `dispatch through store, gate, lift and erasure allocates nothing when nothing is emitted`() {
        expectFew(allocations(fitted(Reading())))
    }

    /// Wants to see the other actions only.
    private struct Unconcerned: InterceptorProtocol {
        func concerns(_ action: AppAction) -> Bool {
            if case .other = action { true } else { false }
        }

        func intercept(
            action: AppAction, from dispatcher: ActionSource, state: OwnState<AppAction, AppState>,
            output: AnyActionHandler<AppAction>, next: Next<AppAction>
        ) {}
    }

    @Test func `an action that concerns no interceptor passes several of them without an allocation`() {
        expectFew(
            allocations(
                fitted(Reading()),
                interceptors: [
                    AnyInterceptor(Unconcerned()),
                    Unconcerned().gated(behind: Gate { _ in .active }),
                    Unconcerned().lift(
                        inputAction: { (action: AppAction) in action }, outputAction: { $0 },
                        state: { (state: AppState) in state }),
                ]))
    }

    @Test func `an effect middleware that does nothing allocates nothing`() {
        expectFew(
            allocations(fitted(EffectMiddleware<Int, Int, Int, Void>.onAction { _, _, _ in .doNothing })))
    }

    @Test func `a composition of several allocates nothing`() {
        let effect = EffectMiddleware<Int, Int, Int, Void>.onAction { _, _, _ in .doNothing }
        let other = EffectMiddleware<Int, Int, Int, Void>.onAction { _, _, _ in .doNothing }
        expectFew(allocations(fitted(effect) <> fitted(Reading()) <> fitted(other)))
    }

    @Test func `a join of effect middlewares allocates nothing`() {
        let effect: EffectMiddleware<Int, Int, Int, Void> =
            .onAction { _, _, _ in .doNothing } <> .onAction { _, _, _ in .doNothing }
        expectFew(allocations(fitted(effect)))
    }
}

/// Reads the state and has nothing to do.
private struct Reading: MiddlewareProtocol {
    func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
        precondition(state() >= 0, "the state only grows")
        return .pure()
    }
}
