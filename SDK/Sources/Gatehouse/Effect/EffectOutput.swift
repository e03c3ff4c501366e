// SPDX-License-Identifier: Apache-2.0

/// What a running effect emits to; the effect is over when it says so, or when nobody holds this any more.
///
/// Callable from any thread. What is sent after the effect was cancelled or finished is dropped.
public final class EffectOutput<OutputAction: Sendable>: Sendable {
    /// Where actions go; what arrives after a cancellation is dropped there.
    private let handler: AnyActionHandler<OutputAction>
    /// The run that ends when this output goes.
    private let run: EffectRun
    /// The output that this one is in front of; held, because the effect is over when it goes.
    private let parent: (any Sendable)?

    /// The output of one run.
    init(handler: AnyActionHandler<OutputAction>, run: EffectRun) {
        // Cancelling is looked at when the action is delivered, not when it is sent.
        let parent = handler.sink
        self.handler = AnyActionHandler(
            ActionSink(before: parent) { action in run.deliver { parent.emit(action) } })
        self.run = run
        self.parent = nil
    }

    /// An output in front of another, of the same run; the map runs in the drain.
    init<ParentAction>(
        mappingTo parent: EffectOutput<ParentAction>, _ transform: @escaping (OutputAction) -> ParentAction
    ) {
        handler = parent.handler.contramap(transform)
        run = parent.run
        self.parent = parent
    }

    deinit { run.finish() }

    /// The drain of the store that the actions go to, nil for none.
    var drain: Drain? { handler.sink.drain }

    /// Emits an action on behalf of the place of this call; see the form with a source.
    public func send(
        _ action: OutputAction, file: String = #file, function: String = #function, line: UInt = #line
    ) {
        send(
            DispatchedAction(
                action, dispatcher: ActionSource(file: file, function: function, line: line, info: nil)))
    }

    /// Emits an action with its source.
    ///
    /// Where the store limits what waits and its queue is full, a thread that drains nothing sleeps here until there is
    /// room; it must not hold a lock that the store's work needs. In a task call `emit`, which leaves the thread to others.
    public func send(_ action: DispatchedAction<OutputAction>) {
        if run.speak() { handler.dispatch(action) }
    }

    /// Emits an action on behalf of the place of this call, once the store's queue has room for it.
    public func emit(
        _ action: OutputAction, file: String = #file, function: String = #function, line: UInt = #line
    ) async {
        await emit(
            DispatchedAction(
                action, dispatcher: ActionSource(file: file, function: function, line: line, info: nil)))
    }

    /// Emits an action with its source, once the store's queue has room for it; the task is suspended until then.
    public func emit(_ action: DispatchedAction<OutputAction>) async {
        await drain?.waitForRoom()
        send(action)
    }

    /// What the tasks of the effect prefer; nil for the threads of the process.
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
    /// - Parameter isImmediate: whether the task begins on the calling thread and leaves it where it first waits; one that
    ///   prefers an executor begins nowhere else.
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
    public func finish() {
        run.finish()
    }

    /// Ends an effect whose work somebody else begins anew: the next run of a host with a journal, or the instance that replaces this one.
    ///
    /// For work that has not begun when its plugin is asked to stop. What is sent afterwards is dropped.
    ///
    /// - Returns: false, and the effect goes on, where nobody would begin it.
    public func leave() -> Bool { run.leave() }

    /// Lets a run end while the effect goes on, once what it sent so far has been processed; as `inBackground` from here on.
    ///
    /// For work that first answers and then watches for ever.
    public func continueInBackground() {
        run.continueInBackground()
    }

    /// Whether the effect was cancelled; long work may look and stop.
    public var isCancelled: Bool { run.isCancelled }

    /// Adds what stops the work, or a part of it, when the effect is cancelled; called at once if it was already.
    ///
    /// Each closure is kept until the effect is over, and called in the order in which they were added.
    public func onCancel(_ stop: @escaping @Sendable () -> Void) {
        run.onCancel(stop)
    }

    /// Sets what emits the last action of an effect that is not `finishing`, when the run of the host ends or is asked to end.
    ///
    /// Called in the drain, at most once, with this output; the effect is cancelled right after. Not called when the effect is
    /// cancelled for another reason.
    public func onStopping(_ last: @escaping @Sendable (EffectOutput) -> Void) {
        run.onStopping { [weak self] in
            if let self { last(self) }
        }
    }

    /// A signal that calls a closure in the drain, unless the effect was cancelled by then; given from any thread.
    ///
    /// The closure need not be `Sendable`. Where there is no drain it is called on the signalling thread.
    func inDrain(_ body: @escaping () -> Void) -> AnyActionHandler<Void> {
        AnyActionHandler<Void>(
            ActionSink(before: handler.sink) { [self] _ in if !isCancelled { body() } })
    }
}
