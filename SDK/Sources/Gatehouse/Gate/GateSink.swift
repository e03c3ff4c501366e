// SPDX-License-Identifier: Apache-2.0

/// Lets outputs pass while a gate is open.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and touched only in `emit`; see `ActionSink`.
@usableFromInline
final class GateSink<Input: Sendable, Output: Sendable, State>: ActionSink<Output>, @unchecked Sendable {
    /// Takes what passes.
    let parent: ActionSink<Output>
    /// Says whether outputs pass.
    let decision: GateSwitch<Input, State>

    /// A sink in front of another, in the same drain.
    @usableFromInline
    init(parent: ActionSink<Output>, decision: GateSwitch<Input, State>) {
        self.parent = parent
        self.decision = decision
        super.init(drain: parent.drain, activity: parent.activity)
    }

    @usableFromInline
    override func emit(_ action: DispatchedAction<Output>) {
        if decision.letsOutputsPass {
            parent.emit(action)
        } else {
            decision.droppedOutputs += 1
        }
    }
}
