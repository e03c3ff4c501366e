// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// What all generations of one host share: the queue, the state, the action in hand, the way of outputs.
///
/// `@unchecked Sendable`: the constants are `Sendable` or, like everything that varies, touched only in the drain, or before
/// anybody else knows the host.
final class HostCore: @unchecked Sendable {
    /// The actions that wait.
    let queue: DrainQueue<Generation>
    /// The state of the application.
    let state: StateBox<StateTree>
    /// What instances are granted from, and the action in hand.
    let dependencies: HostDependencies
    /// Puts what instances emit at the end of the queue.
    let output: AnyActionHandler<AnyAction>
    /// The action types that came so far.
    let seen = SeenTypes()
    /// Who may have emitted what repeats without end.
    private let emitters: Emitters
    /// Takes what goes wrong on the way.
    let report: @Sendable (HostReport) -> Void
    /// Told about each action, before the instances; for printing.
    let onAction: ((AnyAction) -> Void)?
    /// What runs now; nil only until the first generation is there.
    private(set) var generation: Generation!
    /// Instances that the generations before had and this one has not, while something of them is left.
    private(set) var retired: [Instance] = []

    /// A host without instances.
    init(
        _ dependencies: HostDependencies, tree: StateTree, limits: DrainLimits,
        report: @escaping @Sendable (HostReport) -> Void, onAction: (@Sendable (AnyAction) -> Void)?
    ) {
        let emitters = Emitters()
        let hooks = StoreHooks<AnyAction>(onLoop: { report(.cut(CutReport($0, emittedBy: emitters.all))) })
        let queue = DrainQueue<Generation>(limits: limits, hooks: hooks.ofQueue)
        self.emitters = emitters
        self.queue = queue
        self.dependencies = dependencies
        self.report = report
        self.onAction = onAction
        state = StateBox(tree)
        // The cycle this makes is broken when the host closes its queue.
        output = AnyActionHandler(
            ActionSink(drain: queue, activity: queue.activity) { queue.append($0) })
    }

    /// Lets a generation take the place of the one that runs; called in the drain, between two actions, or at the beginning.
    ///
    /// - Parameter gone: instances that only the generation before had; what they emit passes until `release`.
    func run(_ next: Generation, retiring gone: [Instance] = []) {
        dependencies.pass.reserve(stops: next.links.count)
        retired += gone
        generation = next
        emitters.all = next.instances.map(\.outlet)
        queue.open(next)
    }

    /// Lets go of a retired instance: cancels what it still does, and lets nothing out of it any more; called in the drain.
    func release(_ instance: Instance) {
        instance.cancelEffects()
        instance.outlet.retire()
        retired.removeAll { $0 === instance }
    }

    /// Ends everything: what comes later is dropped; called in the drain.
    func close() {
        generation.retire()
        for instance in retired { release(instance) }
        generation = nil
        emitters.all = []
        queue.close()
    }

    /// The outputs of the instances in chain order, for whoever must name one of them.
    private final class Emitters: Sendable {
        /// Under a lock, although only the drain asks: what asks is a closure of the queue that may go anywhere.
        private let outputs = Mutex<[InstanceOutput]>([])

        /// All of them.
        var all: [InstanceOutput] {
            get { outputs.withLock { $0 } }
            set { outputs.withLock { $0 = newValue } }
        }
    }
}
