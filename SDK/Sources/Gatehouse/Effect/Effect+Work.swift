// SPDX-License-Identifier: Apache-2.0

extension Effect {
    /// Starts work in the drain that emits to an output and ends by finishing or releasing it.
    ///
    /// The closure must return promptly; it may hand the output to other threads.
    public static func start(
        token: (any Hashable & Sendable)? = nil,
        _ body: @escaping (EffectContext<Dependencies, OutputAction>, EffectOutput<OutputAction>) -> Void
    ) -> Effect {
        Effect(.start(body), token: token.map { EffectToken($0) })
    }

    /// Work that answers once through a callback; only the first answer counts, and ends the effect.
    ///
    /// The closure is called in the drain, the callback may be called from any thread. Releasing the callback without
    /// calling it ends the effect too.
    public static func promise(
        token: (any Hashable & Sendable)? = nil,
        file: String = #file, function: String = #function, line: UInt = #line,
        _ perform: @escaping (@escaping @Sendable (OutputAction) -> Void) -> Void
    ) -> Effect {
        let source = ActionSource(file: file, function: function, line: line, info: nil)
        return start(token: token) { _, output in
            let answer = PromiseAnswer(output: output)
            perform { answer.complete(DispatchedAction($0, dispatcher: source)) }
        }
    }

    /// An asynchronous function that gives one action, or none; cancelled together with the effect.
    ///
    /// It runs in a task of its own, beside the drain. The source of the action is the place of this call. The effect ends
    /// when the function returns.
    public static func task(
        token: (any Hashable & Sendable)? = nil,
        file: String = #file, function: String = #function, line: UInt = #line,
        _ body: @escaping @Sendable () async -> OutputAction?
    ) -> Effect {
        let source = ActionSource(file: file, function: function, line: line, info: nil)
        return run(token: token) { output in
            if let action = await body() { output.send(DispatchedAction(action, dispatcher: source)) }
        }
    }

    /// An asynchronous function that emits as often as it wants; cancelled together with the effect.
    ///
    /// It runs in a task of its own, beside the drain; each action sent joins the end of the store's queue, in the order of
    /// sending. The effect ends when the function returns.
    public static func run(
        token: (any Hashable & Sendable)? = nil,
        _ body: @escaping @Sendable (EffectOutput<OutputAction>) async -> Void
    ) -> Effect {
        start(token: token) { _, output in
            let task = Task {
                await body(output)
                output.finish()
            }
            output.onCancel { task.cancel() }
        }
    }

    /// Work in the drain that emits nothing; the closure must return promptly, and the effect ends with it.
    public static func fireAndForget(
        _ operation: @escaping (EffectContext<Dependencies, OutputAction>) -> Void
    ) -> Effect {
        start { context, output in
            operation(context)
            output.finish()
        }
    }
}
