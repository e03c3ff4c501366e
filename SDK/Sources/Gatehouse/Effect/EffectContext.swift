// SPDX-License-Identifier: Apache-2.0

/// The context for an effect middleware's closure, besides the action and the state.
///
/// Members of the dependencies can be read directly: `context.clock` is `context.dependencies.clock`.
@dynamicMemberLookup
public struct EffectContext<Dependencies, OutputAction: Sendable> {
    /// Shared by all contexts of one middleware.
    @usableFromInline let base: EffectBase<Dependencies>
    /// The source of the current action.
    public let dispatcher: ActionSource

    /// Creates the context of one action; allocates nothing, because all contexts share their base.
    @inlinable
    init(base: EffectBase<Dependencies>, dispatcher: consuming ActionSource) {
        self.base = base
        self.dispatcher = dispatcher
    }

    /// The injected dependencies.
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

/// Tasks may capture the context, so that work can use `context.log` as the closure around it does.
extension EffectContext: Sendable where Dependencies: Sendable {}
