// SPDX-License-Identifier: Apache-2.0

/// What an effect middleware and its pending answers share.
@usableFromInline
final class EffectEngine<Input: Sendable, Output: Sendable, State, Dependencies> {
    /// Handed to the function with each action.
    @usableFromInline let dependencies: Dependencies
    /// From an action to an effect.
    @usableFromInline let onAction: EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    /// The effects that are running.
    @usableFromInline let registry = EffectRegistry()

    @inlinable
    init(
        dependencies: Dependencies, onAction: @escaping EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    ) {
        self.dependencies = dependencies
        self.onAction = onAction
    }

    /// Asks the function and does what it wants.
    @inlinable
    func answer(
        _ action: Input, from dispatcher: ActionSource, state: GetState<State>, output: AnyActionHandler<Output>
    ) {
        let context = EffectContext<Dependencies, Output>(
            dependencies: dependencies, dispatcher: dispatcher, registry: registry)
        let effect = onAction(action, state, context)
        switch effect.work {
        case .nothing: break
        case .emit(let action): output.dispatch(action)
        default: perform(effect, context: context, output: output)
        }
    }

    /// Does what is more than one action.
    @usableFromInline
    func perform(
        _ effect: Effect<Dependencies, Output>, context: EffectContext<Dependencies, Output>,
        output: AnyActionHandler<Output>
    ) {
        switch effect.work {
        case .nothing: break
        case .emit(let action): output.dispatch(action)
        case .emitAll(let actions): for action in actions { output.dispatch(action) }
        case .cancel(let token): registry.cancel(token)
        case .start(let body):
            let run = registry.begin(
                token: effect.token, background: effect.isBackground, activity: output.sink.activity,
                drain: output.sink.drain)
            body(context, EffectOutput(handler: output, run: run))
        }
    }
}
