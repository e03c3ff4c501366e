// SPDX-License-Identifier: Apache-2.0

/// One function that answers actions by effects, with its dependencies and the effects that it has running.
///
/// When it goes, its effects are cancelled.
@usableFromInline
final class EffectLeaf<Input: Sendable, Output: Sendable, State, Dependencies> {
    /// Handed to the function with each action.
    @usableFromInline let base: EffectBase<Dependencies>
    /// From an action to an effect.
    @usableFromInline let onAction: EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    /// From the state at the end of a run to an effect; nil for nothing to do.
    @usableFromInline let onStopping: EffectMiddleware<Input, Output, State, Dependencies>.OnStopping?
    /// The answer to the action in hand, nil before the first; filled again for the next, unless somebody still holds it
    /// or the state comes from another getter.
    @usableFromInline var answer: EffectAnswer<Input, Output, State, Dependencies>?

    /// Holds on to the functions and to what was injected.
    @inlinable
    init(
        _ dependencies: EffectDependencies<Dependencies>, maximumEffects: Int,
        onAction: @escaping EffectMiddleware<Input, Output, State, Dependencies>.OnAction,
        onStopping: EffectMiddleware<Input, Output, State, Dependencies>.OnStopping?
    ) {
        base = EffectBase(dependencies, registry: EffectRegistry(limit: maximumEffects))
        self.onAction = onAction
        self.onStopping = onStopping
    }

    /// The same functions and dependencies, with effects and tokens of their own.
    @usableFromInline
    func again() -> EffectLeaf {
        EffectLeaf(
            base.source, maximumEffects: base.registry.limit, onAction: onAction,
            onStopping: onStopping)
    }

    deinit { base.registry.cancelAll() }

    /// Asks the function when the answer is run; allocates only when the answer before cannot be filled again.
    @inlinable
    func handle(_ action: Input, from dispatcher: ActionSource, state: GetState<State>) -> IO<Output> {
        if isKnownUniquelyReferenced(&answer), let answer, answer.state.identity === state.identity {
            answer.action = action
            answer.dispatcher = dispatcher
            return IO(body: answer)
        }
        let made = EffectAnswer(self, action, from: dispatcher, state: state)
        answer = made
        return IO(body: made)
    }

    /// Asks the function for the end of a run when the answer is run.
    @usableFromInline
    func stopping(_ state: GetState<State>) -> IO<Output> {
        guard let onStopping else { return .pure() }
        return IO { [base] output in
            let context = EffectContext<Dependencies, Output>(base: base, dispatcher: .here())
            onStopping(state, context).finishing.perform(context, output)
        }
    }
}

/// What all contexts of one effect middleware share; handed on as one reference.
@usableFromInline
final class EffectBase<Dependencies> {
    /// What was injected into the middleware, or where it is looked up.
    @usableFromInline let source: EffectDependencies<Dependencies>
    /// The effects that are running.
    @usableFromInline let registry: EffectRegistry

    /// A base whose effects are registered beside those of others.
    @inlinable
    init(_ source: EffectDependencies<Dependencies>, registry: EffectRegistry) {
        self.source = source
        self.registry = registry
    }

    /// The dependencies as they are now.
    @inlinable var dependencies: Dependencies {
        switch source {
        case .fixed(let dependencies): dependencies
        case .read(let read): read()
        }
    }
}

/// Where a middleware has its dependencies from.
@usableFromInline
enum EffectDependencies<Dependencies> {
    /// They were injected, once for all.
    case fixed(Dependencies)
    /// They are looked up each time, by whoever asks.
    case read(@Sendable () -> Dependencies)
}

extension EffectDependencies: Sendable where Dependencies: Sendable {}

extension EffectBase: Sendable where Dependencies: Sendable {}
