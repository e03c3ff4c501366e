// SPDX-License-Identifier: Apache-2.0

/// Passes a reducer's finding on one action to its behavior's middleware; used in the drain.
final class BehaviorLink<ActionType: Sendable, StateType, Dependencies> {
    /// The middleware of a behavior.
    typealias Part = EffectMiddleware<ActionType, ActionType, StateType, Dependencies>

    /// The pending work for the reducer's latest action; nil for none.
    @safe @exclusivity(unchecked) var produce: Consequence<ActionType, StateType, Dependencies>.Produce?

    /// Returns the middleware, made with the injected dependencies.
    func middleware(_ dependencies: Dependencies) -> Part {
        fresh(
            before: EffectMiddleware(dependencies: dependencies) { [self] _, state, context in
                produce.take()?(state, context) ?? .doNothing
            })
    }

    /// Discards, before the reducers, anything left by an action that no middleware was asked about.
    private func fresh(before inner: Part) -> Part {
        Part(
            around: Forgetting(link: self, inner: inner), count: { inner.effects },
            again: { [self] in fresh(before: inner.again()) })
    }

    /// Clears the link before the middleware.
    private struct Forgetting: MiddlewareProtocol {
        /// The link to clear.
        let link: BehaviorLink
        /// The middleware that does the work.
        let inner: Part

        func handle(
            action: ActionType, from dispatcher: ActionSource, state: GetState<StateType>
        ) -> IO<ActionType> {
            link.produce = nil
            return inner.handle(action: action, from: dispatcher, state: state)
        }

        func cancelEffects() { inner.cancelEffects() }

        func stopEffects() { inner.stopEffects() }
    }
}
