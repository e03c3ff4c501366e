// SPDX-License-Identifier: Apache-2.0

/// Cancels effects of one middleware by their tokens; may be kept and used later, from any thread.
public struct ToCancel<Dependencies, OutputAction: Sendable>: Sendable {
    /// The running effects of the middleware; nil once that is released, when nothing is left to cancel.
    private weak let registry: EffectRegistry?

    /// Cancels in the given registry, which is not kept alive.
    @usableFromInline
    init(_ registry: EffectRegistry) {
        self.registry = registry
    }

    /// Returns an effect that cancels the effect with this token; an unknown token does nothing.
    public func callAsFunction(_ token: some Hashable & Sendable) -> Effect<Dependencies, OutputAction> {
        .cancel(token)
    }

    /// Cancels the effect with this token at once; an unknown token does nothing.
    public func now(_ token: some Hashable & Sendable) { registry?.cancel(EffectToken(token)) }
}
