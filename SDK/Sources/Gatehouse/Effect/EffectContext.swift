// SPDX-License-Identifier: Apache-2.0

/// What an effect middleware's closure is given beside the action and the state.
///
/// Members of the dependencies can be read directly: `context.clock` is `context.dependencies.clock`.
@dynamicMemberLookup
public struct EffectContext<Dependencies, OutputAction: Sendable> {
    /// What all contexts of one middleware share.
    @usableFromInline let base: EffectBase<Dependencies>
    /// Who dispatched the action in hand.
    public let dispatcher: ActionSource

    /// The context of one action; costs no allocation, because all contexts share their base.
    @inlinable
    init(base: EffectBase<Dependencies>, dispatcher: consuming ActionSource) {
        self.base = base
        self.dispatcher = dispatcher
    }

    /// What was injected into the middleware.
    @inlinable
    public var dependencies: Dependencies { base.dependencies }

    /// Cancels running effects of this middleware by token.
    public var toCancel: ToCancel<Dependencies, OutputAction> { ToCancel(base.registry) }

    /// A member of the dependencies.
    @inlinable
    public subscript<Member>(dynamicMember member: KeyPath<Dependencies, Member>) -> Member {
        base.dependencies[keyPath: member]
    }
}

/// Tasks may take the context along, so that work says `context.log` as the closure around it does.
extension EffectContext: Sendable where Dependencies: Sendable {}
