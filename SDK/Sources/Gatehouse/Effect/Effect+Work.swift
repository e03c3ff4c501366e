// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// Starts work in the drain that emits to an output and ends by finishing or releasing it.
    ///
    /// The closure must return promptly; it may hand the output to other threads.
    public static func start(
        token: (any Hashable & Sendable)? = nil,
        _ body: @escaping (Context, EffectOutput<OutputAction>) -> Void
    ) -> Effect {
        Effect(.start(body), token: token.map { EffectToken($0) })
    }

    /// Emits one action, made in the drain when the effect is run; its source is the place of this call.
    public static func just(
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil,
        _ upstream: @escaping (Context) -> OutputAction
    ) -> Effect {
        just(from: ActionSource(file: file, function: function, line: line, info: info), upstream)
    }

    /// Emits one action on behalf of another place, made in the drain when the effect is run.
    public static func just(
        from dispatcher: ActionSource, _ upstream: @escaping (Context) -> OutputAction
    ) -> Effect {
        Effect(.make { DispatchedAction(upstream($0), dispatcher: dispatcher) })
    }

    /// Does work that answers once through a callback; the first answer ends the effect.
    ///
    /// The closure is called in the drain; the callback may be called from any thread. An answer after the first is dropped
    /// and reported as misuse of the store. Releasing the callback without calling it ends the effect too.
    public static func promise(
        token: (any Hashable & Sendable)? = nil,
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil,
        _ perform: @escaping (@escaping @Sendable (OutputAction) -> Void) -> Void
    ) -> Effect {
        promise(token: token, from: ActionSource(file: file, function: function, line: line, info: info)) {
            perform($1)
        }
    }

    /// Like the form above, with the context before the callback.
    public static func promise(
        token: (any Hashable & Sendable)? = nil,
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil,
        perform: @escaping (Context, @escaping @Sendable (OutputAction) -> Void) -> Void
    ) -> Effect {
        promise(
            token: token, from: ActionSource(file: file, function: function, line: line, info: info),
            perform: perform)
    }

    /// Like the form above, with the context before the callback, on behalf of another place.
    public static func promise(
        token: (any Hashable & Sendable)? = nil, from dispatcher: ActionSource,
        perform: @escaping (Context, @escaping @Sendable (OutputAction) -> Void) -> Void
    ) -> Effect {
        start(token: token) { context, output in
            let answer = PromiseAnswer(output: output)
            perform(context) { answer.complete(DispatchedAction($0, dispatcher: dispatcher)) }
        }
    }

    /// Runs an asynchronous function that returns one action, or none; cancelled together with the effect.
    ///
    /// It runs in its own task, outside the drain. The source of the action is the place of this call. The effect ends when
    /// the function returns.
    public static func task(
        token: (any Hashable & Sendable)? = nil,
        file: String = #file, function: String = #function, line: UInt = #line,
        _ body: @escaping @Sendable () async -> OutputAction?
    ) -> Effect {
        let source = ActionSource(file: file, function: function, line: line, info: nil)
        return run(token: token) { output in
            if let action = await body() { await output.emit(DispatchedAction(action, dispatcher: source)) }
        }
    }

    /// Runs an asynchronous function that emits any number of actions; cancelled together with the effect.
    ///
    /// It runs in its own task, outside the drain; each action sent joins the end of the store's queue, in the order of
    /// sending. The effect ends when the function returns. A function that emits a lot calls `await output.emit(…)`, so
    /// that a full queue suspends it.
    public static func run(
        token: (any Hashable & Sendable)? = nil,
        _ body: @escaping @Sendable (EffectOutput<OutputAction>) async -> Void
    ) -> Effect {
        start(token: token) { _, output in
            output.perform { await body(output) }
        }
    }

    /// Does work in the drain that emits nothing; the closure must return promptly, and the effect ends with it.
    public static func fireAndForget(_ operation: @escaping (Context) -> Void) -> Effect {
        start { context, output in
            operation(context)
            output.finish()
        }.brief
    }
}

extension Effect where Dependencies == Void {
    /// Does work in the drain that emits nothing and needs no context.
    public static func fireAndForget(_ operation: @escaping () -> Void) -> Effect {
        fireAndForget { _ in operation() }
    }
}
