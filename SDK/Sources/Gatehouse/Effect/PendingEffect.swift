// SPDX-License-Identifier: Apache-2.0

/// The IO of an effect middleware: asks the function when it is run.
@usableFromInline
final class PendingEffect<Input: Sendable, Output: Sendable, State, Dependencies>: IOBody {
    /// Asks the function.
    @usableFromInline let engine: EffectEngine<Input, Output, State, Dependencies>
    /// The action in hand.
    @usableFromInline var input: (action: Input, dispatcher: ActionSource, state: GetState<State>)?

    /// Nothing in hand yet.
    @inlinable
    init(_ engine: EffectEngine<Input, Output, State, Dependencies>) {
        self.engine = engine
    }

    @inlinable
    func run(_ output: AnyActionHandler<Output>) {
        guard let input else { return }
        engine.answer(input.action, from: input.dispatcher, state: input.state, output: output)
    }
}
