// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Brings the changes of one middleware to its controller, in the order of the actions and one batch at a time.
///
/// Callable from any thread. While something waits, a task keeps it and the controller alive.
final class PersistenceQueue<Controller: PersistenceController>: Sendable {
    /// Something that waits for its turn.
    private enum Entry: Sendable {
        /// A change, who asked for it and who hears how it went.
        case change(
            PersistenceChange<Controller.Element>, ActionSource, EffectOutput<Controller.Action>)
        /// What waits for the changes before it.
        case turn(@Sendable () -> Void)
    }

    /// What is guarded by the lock.
    private struct Waiting {
        /// The changes that wait, oldest first.
        var entries = Ring<Entry>()
        /// Taken from `entries` already, and to be done before them.
        var next: Entry?
        /// Whether a task is at work.
        var isRunning = false
    }

    /// What is done with the entries that come next.
    private enum Step {
        /// Changes without anything between them; at least one.
        case changes([(PersistenceChange<Controller.Element>, ActionSource, EffectOutput<Controller.Action>)])
        /// The changes before it are done.
        case turn(@Sendable () -> Void)
    }

    /// The controller that makes the changes.
    private let controller: Controller
    /// What has not been brought to it.
    private let waiting = Lock(Waiting())

    /// A queue in which no change waits.
    init(_ controller: Controller) { self.controller = controller }

    /// An effect that makes a change in its turn.
    func effect(of change: PersistenceChange<Controller.Element>) -> Effect<Void, Controller.Action> {
        .start { [self] context, output in add(.change(change, context.dispatcher, output), output.executor) }
            .finishing
    }

    /// An effect that serves a live request once the changes before it are done.
    func effect(of request: Controller.Request, _ token: String?) -> Effect<Void, Controller.Action> {
        .start(token: LiveRequestToken(token: token)) { [self] context, output in
            let live = LiveRequest(
                controller: controller, request: request, token: token, source: context.dispatcher,
                output: output)
            add(
                .turn {
                    // Asks the controller before the changes that come next are brought to it.
                    live.output.task(isImmediate: true) { await live.serve() }
                }, output.executor)
        }
    }

    // MARK: - Implementation details

    /// Lets an entry wait for its turn; a task, which prefers an executor, is started when none is at work.
    private func add(_ entry: Entry, _ executor: (any TaskExecutor)?) {
        let starts = waiting.withLock { waiting in
            waiting.entries.append(entry)
            defer { waiting.isRunning = true }
            return !waiting.isRunning
        }
        if starts { Task(executorPreference: executor) { [self] in await run() } }
    }

    /// Works until nothing waits.
    private func run() async {
        while let step = nextStep() {
            switch step {
            case .turn(let body): body()
            case .changes(let changes):
                let outcomes = await controller.perform(changes.map(\.0))
                if outcomes.count != changes.count {
                    trap(
                        "a persistence controller must return one outcome for each change, and returned \(outcomes.count) "
                            + "for \(changes.count)")
                }
                for ((change, source, output), error) in zip(changes, outcomes) {
                    let action: Controller.Action = error.map { .failed($0, change) } ?? .succeeded(change)
                    await output.emit(DispatchedAction(action, dispatcher: source))
                    output.finish()
                }
            }
        }
    }

    /// Takes what comes next; nil, with the work ended, when nothing waits.
    private func nextStep() -> Step? {
        // Not under the lock: the controller's code.
        let limit = max(1, controller.batchLimit)
        return waiting.withLock { waiting in
            var changes:
                [(PersistenceChange<Controller.Element>, ActionSource, EffectOutput<Controller.Action>)] = []
            while changes.count < limit,
                let entry = waiting.next.take() ?? waiting.entries.popFirst()
            {
                switch entry {
                case .change(let change, let source, let output): changes.append((change, source, output))
                case .turn(let body):
                    if changes.isEmpty { return .turn(body) }
                    waiting.next = entry
                    return .changes(changes)
                }
            }
            if changes.isEmpty {
                waiting.isRunning = false
                // A ring that has grown is given back.
                waiting.entries = Ring()
                return nil
            }
            return .changes(changes)
        }
    }
}
