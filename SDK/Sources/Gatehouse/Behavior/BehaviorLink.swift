// SPDX-License-Identifier: Apache-2.0

/// Hands on, within one action, what the reducer of a behavior has found to its middleware; used in the drain.
final class BehaviorLink<ActionType: Sendable, StateType, Dependencies> {
    /// The middleware of a behavior.
    typealias Part = EffectMiddleware<ActionType, ActionType, StateType, Dependencies>

    /// What is to be done for the action that the reducer saw last; nil for nothing.
    var produce: Consequence<ActionType, StateType, Dependencies>.Produce?

    /// The middleware, made with the dependencies that are injected.
    func middleware(_ dependencies: Dependencies) -> Part {
        fresh(
            before: EffectMiddleware(dependencies: dependencies) { [self] _, state, context in
                produce.take()?(state, context) ?? .doNothing
            })
    }

    /// Forgets, ahead of the reducers, what was left by an action that no middleware was asked about.
    private func fresh(before inner: Part) -> Part {
        Part(
            around: Forgetting(link: self, inner: inner), count: { inner.effects },
            again: { [self] in fresh(before: inner.again()) })
    }

    /// Stands in front of the middleware.
    private struct Forgetting: MiddlewareProtocol {
        /// The link that forgets what the action before has left in it.
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
