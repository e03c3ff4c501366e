// SPDX-License-Identifier: Apache-2.0

/// A type-erased state provider; it keeps the provider alive.
public struct AnyStateProvider<StateType>: StateProvider {
    /// A function that receives each state after a change.
    public typealias Observer = @Sendable (StateType) -> Void

    /// Registers an observer with the wrapped provider.
    private let register: @Sendable (ShouldEmitValue<StateType>, @escaping Observer) -> Subscription
    /// Reads the state of the wrapped provider.
    private let readState: @Sendable ((StateType) -> Void) -> Void

    /// Creates a provider that hides the type of another.
    public init<Provider: StateProvider<StateType>>(_ provider: Provider) {
        self.init {
            provider.observe($0, $1)
        } read: {
            provider.read($0)
        }
    }

    /// Creates a provider from its two functions; `StateProvider` has their contracts.
    public init(
        observe: @escaping @Sendable (ShouldEmitValue<StateType>, @escaping Observer) -> Subscription,
        read: @escaping @Sendable ((StateType) -> Void) -> Void
    ) {
        register = observe
        readState = read
    }

    public func observe(
        _ policy: ShouldEmitValue<StateType>, _ observer: @escaping @Sendable (StateType) -> Void
    ) -> Subscription {
        register(policy, observer)
    }

    public func read(_ body: (StateType) -> Void) { readState(body) }
}
