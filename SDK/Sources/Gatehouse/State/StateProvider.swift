// SPDX-License-Identifier: Apache-2.0

/// A source of a state and its changes: a store, or a part of one.
public protocol StateProvider<StateType>: Sendable {
    /// The type of the state.
    associatedtype StateType

    /// Calls `observer` after changes, in the drain, after the reducers, until the subscription is released.
    ///
    /// Observers are called in order of registration. An action dispatched from an observer joins the end of the queue.
    func observe(
        _ policy: ShouldEmitValue<StateType>, _ observer: @escaping @Sendable (StateType) -> Void
    ) -> Subscription

    /// Calls a closure once, on this thread, with the state as it is between two actions.
    ///
    /// No change comes between the closure and an observer that it registers. Waits like `Store.withState`.
    func read(_ body: (StateType) -> Void)
}

extension StateProvider {
    /// Returns a provider of the mapped state; the map runs in the drain, again for each reader and each comparison.
    public func map<NewStateType>(
        _ transform: @escaping @Sendable (StateType) -> NewStateType
    ) -> AnyStateProvider<NewStateType> {
        AnyStateProvider { policy, observer in
            observe(policy.contramap(transform)) { observer(transform($0)) }
        } read: { body in
            read { body(transform($0)) }
        }
    }

    /// Returns this provider with its type hidden.
    public func eraseToAnyStateProvider() -> AnyStateProvider<StateType> { AnyStateProvider(self) }
}

extension StateProvider where StateType: Sendable {
    /// Returns the current state and its later changes, as the policy selects them, as a sequence for one task.
    ///
    /// It never blocks the store: states that come faster than they are taken wait in the buffer, by default only the
    /// newest, so a slow reader skips states and always ends with the last. It references neither the store nor anything
    /// in between; it ends when the store is released. When the reader is released, the observer is removed.
    public func states(
        _ policy: ShouldEmitValue<StateType> = .always,
        bufferingPolicy: AsyncStream<StateType>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<StateType> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StateType.self, bufferingPolicy: bufferingPolicy)
        let end = Subscription { continuation.finish() }
        read { state in
            continuation.yield(state)
            let subscription = observe(policy) { state in
                withExtendedLifetime(end) { _ = continuation.yield(state) }
            }
            continuation.onTermination = { _ in subscription.cancel() }
        }
        return stream
    }
}
