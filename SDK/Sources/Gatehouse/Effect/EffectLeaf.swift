// SPDX-License-Identifier: Apache-2.0

/// One function that answers actions by effects, with its dependencies and its running effects.
///
/// Deinitialization cancels its effects.
@usableFromInline
final class EffectLeaf<Input: Sendable, Output: Sendable, State, Dependencies> {
    /// Passed to the function with each action.
    @usableFromInline let base: EffectBase<Dependencies>
    /// Maps an action to an effect.
    @usableFromInline let onAction: EffectMiddleware<Input, Output, State, Dependencies>.OnAction
    /// Maps the state at the end of a run to an effect; nil for nothing to do.
    @usableFromInline let onStopping: EffectMiddleware<Input, Output, State, Dependencies>.OnStopping?
    /// The answer to the current action, nil before the first; refilled for the next, unless something still holds it or
    /// the state comes from another getter.
    @safe @exclusivity(unchecked) @usableFromInline var answer:
        EffectAnswer<Input, Output, State, Dependencies>?

    /// Stores the functions and the dependencies.
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

    /// Returns the same functions and dependencies, with their own effects and tokens.
    @usableFromInline
    func again() -> EffectLeaf {
        EffectLeaf(
            base.source, maximumEffects: base.registry.limit, onAction: onAction,
            onStopping: onStopping)
    }

    deinit { base.registry.cancelAll() }

    /// Calls the function when the answer is run; allocates only if the previous answer cannot be refilled.
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

    /// Calls the function for the end of a run when the answer is run.
    @usableFromInline
    func stopping(_ state: GetState<State>) -> IO<Output> {
        guard let onStopping else { return .pure() }
        return IO { [base] output in
            let context = EffectContext<Dependencies, Output>(base: base, dispatcher: .here())
            onStopping(state, context).finishing.perform(context, output)
        }
    }
}

/// The shared part of all contexts of one effect middleware; passed as one reference.
@usableFromInline
final class EffectBase<Dependencies> {
    /// The injected dependencies, or the way to look them up.
    @usableFromInline let source: EffectDependencies<Dependencies>
    /// The running effects.
    @usableFromInline let registry: EffectRegistry

    /// Creates a base with the registry for its effects.
    @inlinable
    init(_ source: EffectDependencies<Dependencies>, registry: EffectRegistry) {
        self.source = source
        self.registry = registry
    }

    /// The current dependencies.
    @inlinable var dependencies: Dependencies {
        switch source {
        case .fixed(let dependencies): dependencies
        case .read(let read): read()
        }
    }
}

/// The origin of a middleware's dependencies.
@usableFromInline
enum EffectDependencies<Dependencies> {
    /// They were injected once.
    case fixed(Dependencies)
    /// They are looked up at each access.
    case read(@Sendable () -> Dependencies)
}

extension EffectDependencies: Sendable where Dependencies: Sendable {}

extension EffectBase: Sendable where Dependencies: Sendable {}
