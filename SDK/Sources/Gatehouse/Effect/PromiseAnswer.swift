// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Passes on the first answer of a promise and reports the others.
final class PromiseAnswer<OutputAction: Sendable>: Sendable {
    /// The output for the answer; nil once it was given.
    private let output: Lock<EffectOutput<OutputAction>?>
    /// Reports a second answer; weak, because a callback may be kept forever.
    private weak let drain: Drain?

    /// Creates an answer that is still open.
    init(output: EffectOutput<OutputAction>) {
        self.output = Lock(output)
        drain = output.drain
    }

    /// Emits the action and ends the effect, the first time it is called.
    func complete(_ action: DispatchedAction<OutputAction>) {
        guard let output = output.withLock({ $0.take() }) else {
            drain?.report(.secondAnswer(dispatcher: action.dispatcher))
            return
        }
        output.send(action)
        output.finish()
    }
}
