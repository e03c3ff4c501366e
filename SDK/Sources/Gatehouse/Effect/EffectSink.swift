// SPDX-License-Identifier: Apache-2.0

/// Lets outputs pass until their effect is cancelled; looks at the moment of delivery, not of sending.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and `Sendable`; see `ActionSink`.
final class EffectSink<OutputAction: Sendable>: ActionSink<OutputAction>, @unchecked Sendable {
    private let parent: ActionSink<OutputAction>
    private let run: EffectRun

    /// A sink in front of another, for one run.
    init(parent: ActionSink<OutputAction>, run: EffectRun) {
        self.parent = parent
        self.run = run
        super.init(drain: parent.drain, activity: parent.activity)
    }

    override func emit(_ action: DispatchedAction<OutputAction>) {
        if !run.isCancelled { parent.emit(action) }
    }
}
