// SPDX-License-Identifier: Apache-2.0

/// What an effect middleware and its pending answers share.
@usableFromInline
final class EffectEngine<Input: Sendable, Output: Sendable, State, Dependencies> {
    /// Handed to the function with each action.
    @usableFromInline let base: EffectBase<Dependencies>
    /// From an action to an effect.
    @usableFromInline let onAction: EffectMiddleware<Input, Output, State, Dependencies>.OnAction

    /// Holds on to the function and to what was injected.
    @inlinable
    init(
        dependencies: Dependencies,
        onAction: @escaping EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    ) {
        base = EffectBase(dependencies: dependencies)
        self.onAction = onAction
    }

    /// Asks the function and does what it wants.
    @inlinable
    func answer(
        _ action: Input, from dispatcher: consuming ActionSource, state: GetState<State>,
        output: AnyActionHandler<Output>
    ) {
        let context = EffectContext<Dependencies, Output>(base: base, dispatcher: dispatcher)
        let effect = onAction(action, state, context)
        if case .nothing = effect.work { return }
        perform(effect, context: context, output: output)
    }

    /// The effects that are running.
    var registry: EffectRegistry { base.registry }

    /// Does what the function wants.
    @usableFromInline
    func perform(
        _ effect: Effect<Dependencies, Output>, context: EffectContext<Dependencies, Output>,
        output: AnyActionHandler<Output>
    ) {
        switch effect.work {
        case .nothing: break
        case .emit(let action): output.dispatch(action)
        case .emitAll(let actions): for action in actions { output.dispatch(action) }
        case .cancel(let token): base.registry.cancel(token)
        case .start(let body):
            let run = base.registry.begin(
                token: effect.token, background: effect.isBackground, activity: output.sink.activity,
                drain: output.sink.drain)
            body(context, EffectOutput(handler: output, run: run))
        }
    }
}
