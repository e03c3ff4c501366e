// SPDX-License-Identifier: Apache-2.0

/// The IO of an effect middleware: asks the function when it is run.
@usableFromInline
final class PendingEffect<Input: Sendable, Output: Sendable, State, Dependencies>: IOBody {
    /// Asks the function.
    @usableFromInline let engine: EffectEngine<Input, Output, State, Dependencies>
    /// The action in hand, nil before the first.
    @usableFromInline var action: Input?
    /// Who dispatched it.
    @usableFromInline var dispatcher: ActionSource
    /// Reads the state; kept while it stays the same.
    @usableFromInline var state: GetState<State>

    /// Nothing in hand yet.
    @inlinable
    init(
        _ engine: EffectEngine<Input, Output, State, Dependencies>, dispatcher: ActionSource,
        state: GetState<State>
    ) {
        self.engine = engine
        self.dispatcher = dispatcher
        self.state = state
    }

    @inlinable
    func run(_ output: AnyActionHandler<Output>) {
        guard let action else { return }
        engine.answer(action, from: dispatcher, state: state, output: output)
    }
}
