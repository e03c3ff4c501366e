// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Passes the changes of one middleware to its controller, in the order of the actions and one batch at a time.
///
/// Callable from any thread. While anything waits, a task keeps the queue and the controller alive.
final class PersistenceQueue<Controller: PersistenceController>: Sendable {
    /// A change, its source, and the output for its result.
    private typealias Change = (
        change: PersistenceChange<Controller.Element>, source: ActionSource,
        output: EffectOutput<Controller.Action>
    )

    /// A waiting change or turn.
    private enum Entry: Sendable {
        /// A change to make.
        case change(Change)
        /// Called when the changes before it are done.
        case turn(@Sendable () -> Void)
    }

    /// The state that the lock guards.
    private struct Waiting {
        /// The waiting entries, oldest first.
        var entries = Ring<Entry>()
        /// An entry already taken from `entries`, to be processed before them.
        var next: Entry?
        /// Whether a task is running.
        var isRunning = false
    }

    /// The next piece of work.
    private enum Step {
        /// Changes without a turn between them; at least one.
        case changes([Change])
        /// A turn: the changes before it are done.
        case turn(@Sendable () -> Void)
    }

    /// The controller that makes the changes.
    private let controller: Controller
    /// The entries not yet processed.
    private let waiting = Lock(Waiting())

    /// Creates an empty queue.
    init(_ controller: Controller) { self.controller = controller }

    /// Returns an effect that makes a change in its turn.
    func effect(of change: PersistenceChange<Controller.Element>) -> Effect<Void, Controller.Action> {
        .start { [self] context, output in add(.change((change, context.dispatcher, output)), output.executor)
        }
        .finishing
    }

    /// Returns an effect that serves a live request once the changes before it are done.
    func effect(of request: Controller.Request, _ token: String?) -> Effect<Void, Controller.Action> {
        .start(token: LiveRequestToken(token: token)) { [self] context, output in
            let live = LiveRequest(
                controller: controller, request: request, token: token, source: context.dispatcher,
                output: output)
            add(
                .turn {
                    // Calls the controller before it receives the following changes.
                    live.output.task(isImmediate: true) { await live.serve() }
                }, output.executor)
        }
    }

    // MARK: - Implementation details

    /// Adds an entry; starts a task, which prefers an executor, if none is running.
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
                let outcomes = await controller.perform(changes.map(\.change))
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

    /// Takes the next step; if nothing waits, ends the work and returns nil.
    private func nextStep() -> Step? {
        // Not under the lock: this calls the controller's code.
        let limit = max(1, controller.batchLimit)
        return waiting.withLock { waiting in
            var changes: [Change] = []
            while changes.count < limit,
                let entry = waiting.next.take() ?? waiting.entries.popFirst()
            {
                switch entry {
                case .change(let change): changes.append(change)
                case .turn(let body):
                    if changes.isEmpty { return .turn(body) }
                    waiting.next = entry
                    return .changes(changes)
                }
            }
            if changes.isEmpty {
                waiting.isRunning = false
                // Releases the storage of a ring that has grown.
                waiting.entries = Ring()
                return nil
            }
            return .changes(changes)
        }
    }
}
