// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Passes on the first answer of a promise and ignores the others.
final class PromiseAnswer<OutputAction: Sendable>: Sendable {
    /// Where the answer goes; nil once it was given.
    private let output: Mutex<EffectOutput<OutputAction>?>

    /// An answer that is still open.
    init(output: EffectOutput<OutputAction>) {
        self.output = Mutex(output)
    }

    /// Emits the action and ends the effect, the first time it is called.
    func complete(_ action: DispatchedAction<OutputAction>) {
        guard let output = output.withLock({ $0.take() }) else { return }
        output.send(action)
        output.finish()
    }
}
