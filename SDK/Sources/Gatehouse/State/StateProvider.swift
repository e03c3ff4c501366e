// SPDX-License-Identifier: Apache-2.0

/// Something that has a state and tells about its changes: a store, or a part of one.
public protocol StateProvider<StateType>: Sendable {
    /// The type of state that observers are given.
    associatedtype StateType

    /// Tells `observer` about changes, in the drain, after the reducers, until the subscription goes.
    ///
    /// Observers are told in order of registration. An action dispatched from an observer joins the end of the queue.
    func observe(
        _ policy: ShouldEmitValue<StateType>, _ observer: @escaping @Sendable (StateType) -> Void
    ) -> Subscription

    /// Calls a closure once, on this thread, with the state as it is between two actions.
    ///
    /// No change comes between the closure and an observer that it registers. Waits like `Store.withState`.
    func read(_ body: (StateType) -> Void)
}

extension StateProvider {
    /// The same states seen through a map, which runs in the drain, for each reader and each comparison anew.
    public func map<NewStateType>(
        _ transform: @escaping @Sendable (StateType) -> NewStateType
    ) -> AnyStateProvider<NewStateType> {
        AnyStateProvider { policy, observer in
            observe(policy.contramap(transform)) { observer(transform($0)) }
        } read: { body in
            read { body(transform($0)) }
        }
    }

    /// This provider with its type hidden.
    public func eraseToAnyStateProvider() -> AnyStateProvider<StateType> {
        AnyStateProvider(self)
    }
}

extension StateProvider where StateType: Sendable {
    /// The state as it is, then its changes as the policy wants them, for one task to iterate.
    ///
    /// The sequence never holds the store up: states that come faster than they are taken wait in the buffer, by default
    /// only the newest, so that a slow reader skips states and always ends with the last. It keeps a reference to neither
    /// the store nor what is between; it ends when the store goes. When the reader goes, the observer is removed.
    public func states(
        _ policy: ShouldEmitValue<StateType> = .always,
        bufferingPolicy: AsyncStream<StateType>.Continuation.BufferingPolicy = .bufferingNewest(1)
    ) -> AsyncStream<StateType> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StateType.self, bufferingPolicy: bufferingPolicy)
        let end = StreamEnd { continuation.finish() }
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
