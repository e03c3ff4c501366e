// SPDX-License-Identifier: Apache-2.0

import CFatal
import GatehouseSDK
import Glibc

/// Ends the process, or hangs, where and how an action says.
struct Fatal: InterceptingPlugin {
    enum Action: PluginAction {
        /// Does the deed of `fatal.h` at a place: intercept, behind (what is intercepted), handle, reduce, answer, task (of an effect), effect
        /// (in a task of its own), thread (of a task that waits for it), own (a thread that nobody waits for), pool (on all threads for
        /// tasks), cancel (of an effect) or stopping; at linger an effect begins that does not end, at long the deed is announced to
        /// take a minute, and at swift the deed is one of Swift's: index reads beyond an array, lock takes a lock twice.
        case act(place: String, deed: String)
        /// Emits `act`, so that what is fatal is what another action has led to.
        case lead(place: String, deed: String)
        /// Does nothing.
        case pass
    }

    struct Settings: PluginSettings {
        /// What is done at the start.
        var start = ""
        /// A file whose removal is what lets it be done; empty for always.
        var once = ""
    }

    struct State: Codable, Sendable {
        /// How many actions it heard.
        var heard = 0
        /// What is done at the end.
        var last = ""
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            state.heard += 1
            guard case .act(let place, let deed) = action else { return }
            if place == "reduce" { unsafe fatal_do(deed) }
            if place == "stopping" { state.last = deed }
        }
    }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> { AnyInterceptor(Guard()) }

    /// Does things before anybody else sees the action.
    private final class Guard: InterceptorProtocol {
        func intercept(
            action: Action, from dispatcher: ActionSource, state: OwnState<Action, State>,
            output: AnyActionHandler<Action>, next: Next<Action>
        ) {
            if case .act("intercept", let deed) = action { unsafe fatal_do(deed) }
            next()
            if case .act("behind", let deed) = action { unsafe fatal_do(deed) }
        }
    }

    static func middleware() -> Reader {
        MiddlewareReader { context in AnyMiddleware(Doer(context)) }
    }
}

/// Does things where only a middleware is called.
private final class Doer: MiddlewareProtocol {
    /// What is done at the start, and when.
    private let settings: Fatal.Settings
    /// What was read last.
    private var longest = 0
    /// Announces what takes long.
    private let longWork: LongWork
    /// Starts effects.
    private let effects = EffectMiddleware<Fatal.Action, Fatal.Action, Fatal.State, Void>.onAction {
        action, _, _ in
        switch action {
        case .act("task", let deed): .run { _ in unsafe fatal_do(deed) }
        case .act("linger", _): .run { _ in try? await Task.sleep(for: .seconds(3_600)) }
        case .act("effect", let deed):
            .run { _ in
                // From here on it is no longer the thread that drains.
                await Task.detached { unsafe fatal_do(deed) }.value
            }
        case .act("thread", let deed): .run { _ in await Task.detached { unsafe fatal_do_aside(deed) }.value }
        case .act("pool", let deed):
            .run { _ in
                await withTaskGroup { group in
                    for _ in 0..<64 { group.addTask { unsafe fatal_do(deed) } }
                }
            }
        case .act("cancel", let deed):
            Effect<Void, Fatal.Action>.start(token: "held") { _, output in
                output.onCancel {
                    unsafe fatal_do(deed)
                    _ = output
                }
            } <> .cancel("held")
        case .lead(let place, let deed): .just(.act(place: place, deed: deed))
        case .act, .pass: .doNothing
        }
    }

    init(_ context: Fatal.Context) {
        settings = context.settings
        longWork = context.longWork
    }

    func start(state: GetState<Fatal.State>) -> IO<Fatal.Action> {
        if settings.once.isEmpty {
            unsafe fatal_do(settings.start)
        } else {
            unsafe fatal_do_once(settings.start, settings.once)
        }
        return .pure()
    }

    func stopping(state: GetState<Fatal.State>) -> IO<Fatal.Action> {
        unsafe fatal_do(state().last)
        return .pure()
    }

    func handle(
        action: Fatal.Action, from dispatcher: ActionSource, state: GetState<Fatal.State>
    ) -> IO<Fatal.Action> {
        if case .act("handle", let deed) = action { unsafe fatal_do(deed) }
        if case .act("long", let deed) = action { longWork(upTo: .seconds(60)) { unsafe fatal_do(deed) } }
        if case .act("swift", "index") = action { readBeyond([1, 2, 3]) }
        if case .act("swift", "lock") = action { takeTwice() }
        if case .act("own", let deed) = action { unsafe fatal_do_later(deed) }
        if case .act("answer", let deed) = action { return IO { _ in unsafe fatal_do(deed) } }
        return effects.handle(action: action, from: dispatcher, state: state)
    }

    /// Reads an element that an array does not have.
    @inline(never)
    private func readBeyond(_ numbers: [Int]) {
        longest = numbers[numbers.count]
    }

    /// Waits for a lock that the thread itself has.
    @inline(never)
    private func takeTwice() {
        var lock = unsafe pthread_mutex_t()
        unsafe pthread_mutex_init(&lock, nil)
        unsafe pthread_mutex_lock(&lock)
        unsafe pthread_mutex_lock(&lock)
    }
}
