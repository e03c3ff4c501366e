// SPDX-License-Identifier: Apache-2.0

extension AsyncSequence where Self: Sendable, Element: Sendable, Failure == Never {
    /// An effect that emits each element as an action, until the sequence ends.
    ///
    /// The sequence is iterated in a task, which is cancelled together with the effect. The actions carry the dispatcher of
    /// the action that the effect answers. In a middleware with dependencies call `asEffect()`.
    public var asEffect: Effect<Void, Element> {
        Effect { context in
            let source = context.dispatcher
            return map { DispatchedAction($0, dispatcher: source) }
        }
    }

    /// Returns an effect that emits each element as an action, until the sequence ends.
    ///
    /// The sequence is iterated in a task, which is cancelled together with the effect. The source of the actions is the
    /// place of this call. It replaces the running effect with the same token; with nil it cannot be cancelled by name.
    public func asEffect<Dependencies>(
        token: (any Hashable & Sendable)? = nil,
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil
    ) -> Effect<Dependencies, Element> {
        asEffect(
            token: token, dispatcher: ActionSource(file: file, function: function, line: line, info: info))
    }

    /// Like `asEffect()`, but replaces the running effect with the same token.
    public func asEffect<Dependencies>(
        cancellationToken: some Hashable & Sendable,
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil
    ) -> Effect<Dependencies, Element> {
        asEffect(token: cancellationToken, file: file, function: function, line: line, info: info)
    }

    /// Returns an effect that emits each element as an action on behalf of another place, until the sequence ends.
    ///
    /// - Parameters:
    ///   - token: replaces the running effect with the same token; nil for an effect that cannot be cancelled by name.
    ///   - dispatcher: the source that the actions carry.
    public func asEffect<Dependencies>(
        token: (any Hashable & Sendable)? = nil, dispatcher: ActionSource
    ) -> Effect<Dependencies, Element> {
        Effect(token: token) { _ in map { DispatchedAction($0, dispatcher: dispatcher) } }
    }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Returns an effect that emits each element as an action, until the sequence ends or fails.
    ///
    /// It replaces the running effect with the same token; with nil it cannot be cancelled by name. `catchErrors` turns the
    /// failure into the last action, or into none by returning nil; it is not called if the effect was cancelled.
    public func asEffect<Dependencies>(
        token: (any Hashable & Sendable)? = nil,
        file: String = #file, function: String = #function, line: UInt = #line, info: String? = nil,
        catchErrors: @escaping @Sendable (Failure) -> Element?
    ) -> Effect<Dependencies, Element> {
        let source = ActionSource(file: file, function: function, line: line, info: info)
        return .iterating(
            { _ in self }, token: token, action: { DispatchedAction($0, dispatcher: source) },
            catchErrors: { catchErrors($0).map { DispatchedAction($0, dispatcher: source) } })
    }
}
