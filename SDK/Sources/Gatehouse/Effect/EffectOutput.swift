// SPDX-License-Identifier: Apache-2.0

/// What a running effect emits to; the effect is over when it says so, or when nobody holds this any more.
///
/// Callable from any thread. What is sent after the effect was cancelled or finished is dropped.
public final class EffectOutput<OutputAction: Sendable>: Sendable {
    private let handler: AnyActionHandler<OutputAction>
    private let run: EffectRun

    /// The output of one run.
    init(handler: AnyActionHandler<OutputAction>, run: EffectRun) {
        // Cancelling is looked at when the action is delivered, not when it is sent.
        let parent = handler.sink
        self.handler = AnyActionHandler(
            ActionSink(before: parent) { if !run.isCancelled { parent.emit($0) } })
        self.run = run
    }

    deinit { run.finish() }

    /// Emits an action on behalf of the place of this call.
    public func send(
        _ action: OutputAction, file: String = #file, function: String = #function, line: UInt = #line
    ) {
        send(
            DispatchedAction(
                action, dispatcher: ActionSource(file: file, function: function, line: line, info: nil)))
    }

    /// Emits an action with its source.
    public func send(_ action: DispatchedAction<OutputAction>) {
        if run.isRunning { handler.dispatch(action) }
    }

    /// Ends the effect; later calls do nothing.
    public func finish() {
        run.finish()
    }

    /// Whether the effect was cancelled; long work may look and stop.
    public var isCancelled: Bool { run.isCancelled }

    /// Sets what stops the work when the effect is cancelled; called at once if it was already.
    public func onCancel(_ stop: @escaping @Sendable () -> Void) {
        run.onCancel(stop)
    }
}
