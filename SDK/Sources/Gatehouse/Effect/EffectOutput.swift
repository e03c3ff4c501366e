// SPDX-License-Identifier: Apache-2.0

/// The output of a running effect, which is over when it calls `finish`, or when the output is released.
///
/// Callable from any thread. Actions sent after the effect was cancelled or finished are dropped.
public final class EffectOutput<OutputAction: Sendable>: Sendable {
    /// The receiver of the actions; it drops those that arrive after a cancellation.
    private let handler: AnyActionHandler<OutputAction>
    /// The run that ends when this output is released.
    private let run: EffectRun
    /// The output behind this one; retained, because its release would end the effect.
    private let parent: (any Sendable)?

    /// Creates the output of one run.
    init(handler: AnyActionHandler<OutputAction>, run: EffectRun) {
        // Cancellation is checked when the action is delivered, not when it is sent.
        let parent = handler.sink
        self.handler = AnyActionHandler(
            ActionSink(before: parent) { action in run.deliver { parent.emit(action) } })
        self.run = run
        self.parent = nil
    }

    /// Creates an output in front of another, of the same run; the map runs in the drain.
    init<ParentAction>(
        mappingTo parent: EffectOutput<ParentAction>, _ transform: @escaping (OutputAction) -> ParentAction
    ) {
        handler = parent.handler.contramap(transform)
        run = parent.run
        self.parent = parent
    }

    deinit { run.finish() }

    /// The drain of the store that receives the actions; nil for none.
    var drain: Drain? { handler.sink.drain }

    /// Emits an action on behalf of the place of this call; see the form with a source.
    public func send(
        _ action: OutputAction, file: String = #file, function: String = #function, line: UInt = #line
    ) {
        send(DispatchedAction(action, file: file, function: function, line: line))
    }

    /// Emits an action with its source.
    ///
    /// If the store limits waiting actions and its queue is full, a thread that drains nothing sleeps here until there is room;
    /// it must not hold a lock that the store's work needs. In a task call `emit`, which does not block the thread.
    public func send(_ action: DispatchedAction<OutputAction>) {
        if run.speak() { handler.dispatch(action) }
    }

    /// Emits an action on behalf of the place of this call, once the store's queue has room for it.
    public func emit(
        _ action: OutputAction, file: String = #file, function: String = #function, line: UInt = #line
    ) async {
        await emit(DispatchedAction(action, file: file, function: function, line: line))
    }

    /// Emits an action with its source, once the store's queue has room for it; the task is suspended until then.
    public func emit(_ action: DispatchedAction<OutputAction>) async {
        await drain?.waitForRoom()
        if run.speak() { handler.dispatch(action) }
    }

    /// The executor that the effect's tasks prefer; nil for the threads of the process.
    var executor: (any TaskExecutor)? { handler.sink.activity?.execution.executor }

    /// Runs work in a task, which is cancelled together with the effect; the effect is over when the work returns.
    func perform(_ work: @escaping @Sendable () async -> Void) {
        task {
            self.run.beginWork()
            await work()
            self.finish()
        }
    }

    /// Runs a part of the work in a task, which is cancelled together with the effect.
    ///
    /// - Parameter isImmediate: whether the task begins on the calling thread and leaves it where it first waits; a task that
    ///   prefers an executor always begins there.
    func task(isImmediate: Bool = false, _ work: @escaping @Sendable () async -> Void) {
        let task =
            isImmediate && executor == nil
            ? Task.immediate(operation: work) : Task(executorPreference: executor, operation: work)
        onCancel { task.cancel() }
    }

    /// Ends the effect and starts another one of the same middleware in its place; called in the drain.
    func finish<Dependencies>(
        before next: Effect<Dependencies, OutputAction>,
        _ context: EffectContext<Dependencies, OutputAction>
    ) {
        run.finish { next.perform(context, handler, within: run.logged, onEnd: $0) }
    }

    /// Ends the effect; later calls do nothing.
    public func finish() { run.finish() }

    /// Ends an effect whose work will be begun again: by the next run of a host with a journal, or by the instance that
    /// replaces this one.
    ///
    /// For work that has not begun when its plugin is asked to stop. Actions sent afterwards are dropped.
    ///
    /// - Returns: false, and the effect continues, if nothing would begin it again.
    public func leave() -> Bool { run.leave() }

    /// Lets a run end while the effect continues, as `inBackground`, once its actions so far have been processed.
    ///
    /// For work that first answers and then watches forever.
    public func continueInBackground() { run.continueInBackground() }

    /// Whether the effect was cancelled; long work may check this and stop.
    public var isCancelled: Bool { run.isCancelled }

    /// Adds a closure that stops the work, or a part of it, on cancellation; called at once if already cancelled.
    ///
    /// Each closure is kept until the effect is over, and called in the order in which they were added.
    public func onCancel(_ stop: @escaping @Sendable () -> Void) { run.onCancel(stop) }

    /// Sets the closure that emits the last action of an effect that is not `finishing`, when the host's run ends or is asked
    /// to end.
    ///
    /// Called in the drain, at most once, with this output; the effect is cancelled right after. Not called when the effect is
    /// cancelled for another reason.
    public func onStopping(_ last: @escaping @Sendable (EffectOutput) -> Void) {
        run.onStopping { [weak self] in
            if let self { last(self) }
        }
    }

    /// Returns a signal that calls a closure in the drain, unless the effect was cancelled by then; callable from any thread.
    ///
    /// The closure need not be `Sendable`. Without a drain it is called on the signalling thread.
    func inDrain(_ body: @escaping () -> Void) -> AnyActionHandler<Void> {
        AnyActionHandler<Void>(
            ActionSink(before: handler.sink) { [self] _ in if !isCancelled { body() } })
    }
}
