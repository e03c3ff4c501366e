// SPDX-License-Identifier: Apache-2.0

/// What all answers of one effect middleware share; handed on as one reference.
@usableFromInline
final class EffectBase<Dependencies> {
    /// What was injected into the middleware.
    @usableFromInline let dependencies: Dependencies
    /// The effects that are running.
    @usableFromInline let registry: EffectRegistry

    /// Shares a registry, unless a fresh one is wanted.
    @inlinable
    init(dependencies: Dependencies, registry: EffectRegistry = EffectRegistry()) {
        self.dependencies = dependencies
        self.registry = registry
    }
}
