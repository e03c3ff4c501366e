// SPDX-License-Identifier: Apache-2.0

/// What an effect middleware's closure is given beside the action and the state.
///
/// Members of the dependencies can be read directly: `context.clock` is `context.dependencies.clock`.
@dynamicMemberLookup
public struct EffectContext<Dependencies, OutputAction: Sendable> {
    /// What was injected into the middleware.
    public let dependencies: Dependencies
    /// Who dispatched the action in hand.
    public let dispatcher: ActionSource
    /// The middleware's running effects.
    @usableFromInline let registry: EffectRegistry

    @usableFromInline
    init(dependencies: Dependencies, dispatcher: ActionSource, registry: EffectRegistry) {
        self.dependencies = dependencies
        self.dispatcher = dispatcher
        self.registry = registry
    }

    /// Cancels running effects of this middleware by token.
    public var toCancel: ToCancel<Dependencies, OutputAction> { ToCancel(registry) }

    /// A member of the dependencies.
    public subscript<Member>(dynamicMember member: KeyPath<Dependencies, Member>) -> Member {
        dependencies[keyPath: member]
    }
}
