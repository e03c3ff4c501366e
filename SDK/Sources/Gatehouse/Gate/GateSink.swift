// SPDX-License-Identifier: Apache-2.0

/// Lets outputs pass while a gate is open.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and touched only in `emit`; see `ActionSink`.
@usableFromInline
final class GateSink<Inner: MiddlewareProtocol>: ActionSink<Inner.OutputActionType>, @unchecked Sendable {
    /// Takes what passes.
    let parent: ActionSink<Inner.OutputActionType>
    /// Decides; kept alive by outputs that come late.
    let gate: GatedMiddleware<Inner>

    /// A sink in front of another, in the same drain.
    @usableFromInline
    init(parent: ActionSink<Inner.OutputActionType>, gate: GatedMiddleware<Inner>) {
        self.parent = parent
        self.gate = gate
        super.init(drain: parent.drain, activity: parent.activity)
    }

    @usableFromInline
    override func emit(_ action: DispatchedAction<Inner.OutputActionType>) {
        if gate.letsOutputsPass {
            parent.emit(action)
        } else {
            gate.droppedOutputs += 1
        }
    }
}
