// SPDX-License-Identifier: Apache-2.0

/// Effects made of asynchronous sequences, which are iterated in a task that is cancelled together with the effect.
extension Effect {
    /// Emits the actions of a sequence, with their sources, until it ends.
    ///
    /// - Parameters:
    ///   - token: replaces the running effect with the same token; nil for an effect that cannot be cancelled by name.
    ///   - effect: makes the sequence; called in the drain each time the effect is run.
    public init<Upstream: AsyncSequence & Sendable>(
        token: (any Hashable & Sendable)? = nil, effect: @escaping (Context) -> Upstream
    ) where Upstream.Element == DispatchedAction<OutputAction>, Upstream.Failure == Never {
        self = .iterating(effect, token: token, action: { $0 }, catchErrors: absurd)
    }

    /// Iterates a sequence to its end and emits nothing.
    public static func fireAndForget<Upstream: AsyncSequence & Sendable>(
        _ upstream: @escaping (Context) -> Upstream
    ) -> Effect where Upstream.Failure == Never {
        fireAndForget(upstream, catchErrors: absurd)
    }

    /// Iterates a sequence and emits nothing, unless it fails: the failure becomes one action, or none for nil.
    ///
    /// - Parameters:
    ///   - upstream: makes the sequence when the effect starts.
    ///   - catchErrors: not called if the effect was cancelled.
    public static func fireAndForget<Upstream: AsyncSequence & Sendable>(
        _ upstream: @escaping (Context) -> Upstream,
        catchErrors: @escaping @Sendable (Upstream.Failure) -> DispatchedAction<OutputAction>?
    ) -> Effect {
        iterating(upstream, action: { _ in nil }, catchErrors: catchErrors)
    }

    /// Iterates a sequence to its end or failure, and emits what the two closures make of each element and of the failure.
    static func iterating<Upstream: AsyncSequence & Sendable>(
        _ upstream: @escaping (Context) -> Upstream, token: (any Hashable & Sendable)? = nil,
        action: @escaping @Sendable (Upstream.Element) -> DispatchedAction<OutputAction>?,
        catchErrors: @escaping @Sendable (Upstream.Failure) -> DispatchedAction<OutputAction>?
    ) -> Effect {
        .start(token: token) { context, output in
            let upstream = upstream(context)
            output.perform {
                do throws(Upstream.Failure) {
                    for try await element in upstream {
                        if output.isCancelled { break }
                        if let action = action(element) { await output.emit(action) }
                    }
                } catch {
                    if !output.isCancelled, let action = catchErrors(error) { await output.emit(action) }
                }
            }
        }
    }
}

extension Effect where Dependencies == Void {
    /// Emits the actions of a ready sequence, with their sources, until it ends.
    public init<Upstream: AsyncSequence & Sendable>(
        token: (any Hashable & Sendable)? = nil, effect: Upstream
    ) where Upstream.Element == DispatchedAction<OutputAction>, Upstream.Failure == Never {
        self.init(token: token) { _ in effect }
    }

    /// Emits the actions of a ready sequence, with their sources, until it ends; cannot be cancelled by name.
    public init<Upstream: AsyncSequence & Sendable>(_ effect: Upstream)
    where Upstream.Element == DispatchedAction<OutputAction>, Upstream.Failure == Never {
        self.init(token: nil, effect: effect)
    }

    /// Iterates a ready sequence to its end and emits nothing.
    public static func fireAndForget<Upstream: AsyncSequence & Sendable>(_ upstream: Upstream) -> Effect
    where Upstream.Failure == Never {
        fireAndForget { _ in upstream }
    }

    /// Iterates a ready sequence and emits nothing, unless it fails: the failure becomes one action, or none for nil.
    public static func fireAndForget<Upstream: AsyncSequence & Sendable>(
        _ upstream: Upstream,
        catchErrors: @escaping @Sendable (Upstream.Failure) -> DispatchedAction<OutputAction>?
    ) -> Effect {
        fireAndForget({ _ in upstream }, catchErrors: catchErrors)
    }
}
