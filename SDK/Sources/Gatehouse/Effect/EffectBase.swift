// SPDX-License-Identifier: Apache-2.0

/// What all answers of one effect middleware share; handed on as one reference.
@usableFromInline
final class EffectBase<Dependencies> {
    /// What was injected into the middleware.
    @usableFromInline let dependencies: Dependencies
    /// The effects that are running.
    @usableFromInline let registry = EffectRegistry()

    @inlinable
    init(dependencies: Dependencies) {
        self.dependencies = dependencies
    }
}
