// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK
private import Synchronization

/// The store of a host: runs actions through the generation of plugin instances that runs now, one action at a time.
///
/// In the order of the core's `Store`, which a law test compares it with. It has what all generations share: the queue, the state,
/// the action in hand, the way of outputs.
///
/// It has many stored properties because whatever outlives a generation has no other owner; each of the parts that look at the
/// configuration, record or take outputs has one or two of them.
///
/// `@unchecked Sendable`: the constants are `Sendable` or, like everything that varies, touched only in the drain, or before
/// anybody else knows the host.
package final class HostStore: StoreType, DrainOwner, @unchecked Sendable {
    /// The actions that wait.
    package let queue: DrainQueue<Generation>
    /// The state of the application.
    package let state: StateBox<StateTree>
    /// What instances are granted from, and the action in hand.
    package let dependencies: HostDependencies
    /// Puts what instances emit at the end of the queue.
    let output: AnyActionHandler<AnyAction>
    /// The action types that came so far.
    let seen = SeenTypes()
    /// Who may have emitted what repeats without end.
    private let emitters: Emitters
    /// Takes what goes wrong on the way.
    let report: @Sendable (HostReport) -> Void
    /// Who hears what passes, whichever generation runs.
    package var hooks: RunHooks { didSet { listen() } }
    /// What has happened since a hand-over that may still be undone; nil once that is decided. Touched in the drain.
    var probation: Probation? { didSet { listen() } }
    /// Makes spans of actions; nil while nobody wants them. Touched in the drain.
    private var tracer: ActionTracer?
    /// Who hears what passes, and the tracer after them.
    private var heard: RunHooks
    /// The observers of the state; touched in the drain.
    var observers = StateObservers() { didSet { generation?.countListeners() } }
    /// Called, in the drain, by the action that asks for a look at the configuration; nil where there is none to look at.
    var onReload: (@Sendable () -> Void)?
    /// Called, in the drain, by the action that lets a library out of quarantine, with its digest; nil where none is ever in it.
    var onRelease: (@Sendable (String) -> Void)?
    /// Puts a library into quarantine that has ended its worker too often, by its digest, its plugin's id and the reason; nil where
    /// that cannot be done.
    var onQuarantine: (@Sendable (_ digest: String, _ plugin: String, _ reason: String) -> Void)?
    /// Lets inputs wait.
    package let inputHold = InputHold()
    /// How long the drain may take to come to what a thread waits for, unless that says otherwise; set before anybody does.
    package var patience = Duration.seconds(10)
    /// What waits to be sent to workers together.
    let unsent = UnsentOrders()
    /// The configuration of the running generation, as the start or the last look at it left it.
    package var configuration: RunningConfiguration
    /// What those have counted that have gone.
    package private(set) var past = Losses()
    /// Takes note of what reached the reducers; nil without a journal.
    package let recorder: ActionRecorder?
    /// Takes note of a generation that has just taken over by a plan, before it does anything; called in the drain. Nil without a
    /// journal.
    var onSwap: ((GenerationSwap, RecordedPlan) -> Void)?
    /// Keeps the state as it is after the last action; called in the drain, when nothing waits that follows from it.
    var onIdle: (() -> Void)?
    /// Whether another process goes on for this host; touched in the drain.
    package private(set) var isHandedOver = false
    /// What runs now; nil until the first generation is there, and again when the host has ended: whoever keeps the core may come to the
    /// drain later than that.
    private(set) var generation: Generation?

    /// A store over an assembly, whose instances are not started.
    init(_ assembly: Assembly, _ terms: StoreTerms) {
        let (emitters, recorder, elsewhere) = (Emitters(), terms.recorder, terms.elsewhere)
        let hooks = StoreHooks<AnyAction>(
            onLoop: { [report = terms.report] in
                report(.cut(CutReport($0, emittedBy: emitters.outputs)))
            },
            // They come late where another process goes on, or the host has ended: what they would do is done again, or is over.
            onLateAction: { _ in })
        let queue = DrainQueue<Generation>(
            limits: assembly.configuration.limits.drain, hooks: hooks.ofQueue)
        self.emitters = emitters
        self.queue = queue
        dependencies = assembly.dependencies
        self.recorder = recorder
        report = terms.report
        self.hooks = RunHooks(onAction: terms.onAction)
        heard = RunHooks(onAction: terms.onAction)
        state = StateBox(assembly.tree)
        configuration = RunningConfiguration(
            state: assembly.configuration.state,
            images: assembly.assembler.map {
                MappedImages($0.cache, usedBy: assembly.instances.map(\.planned))
            })
        // The cycle this makes is broken when the host closes its queue.
        output = AnyActionHandler(
            ActionSink(drain: queue, activity: queue.activity) {
                if elsewhere?.take($0) != true { queue.append($0) }
            })
        dependencies.effectKeys.settle { [weak queue, recorder] instance in
            guard let queue, queue.isCurrent, queue.mark & ~Drain.effectMark != 0,
                queue.mark != Generation.unnumbered
            else { return nil }
            let number = queue.mark & ~Drain.effectMark
            return recorder?.key(of: number, for: instance) ?? EffectKeys.key(of: number, for: instance)
        }
        assembly.tree.host = { [weak self] in self?.generation?.hostSlice ?? .null }
        for instance in assembly.instances { instance.connect(to: self) }
        if let tracer = terms.tracer { trace(by: tracer) }
        run(Generation(assembly.instances.map { ChainLink($0) }, in: self))
    }

    /// Makes spans of actions from here on, by another tracer or by none; called in the drain, or before it begins.
    package func trace(by tracer: ActionTracer?) {
        self.tracer = tracer
        listen()
        CurrentTrace.follow(self, tracer)
    }

    /// Lets everybody hear what passes who wants to.
    private func listen() {
        heard = tracer?.following(hooks, in: self) ?? hooks
        if let probation {
            heard.onAction = { [weak self, others = heard.onAction] dispatched in
                self?.note(dispatched, in: probation)
                others?(dispatched)
            }
        }
        generation?.hooks = heard
    }

    /// Lets a generation take the place of the one that runs; called in the drain, between two actions, or at the beginning.
    ///
    /// - Parameter gone: instances that only the generation before had; nothing that they still do counts any more.
    func run(_ next: Generation, lettingGo gone: [Instance] = []) {
        for instance in gone {
            next.progress.during(.cancel, of: instance) { instance.cancelEffects() }
            past.add(instance)
            instance.outlet.retire { [weak self] in self?.past.lateOutputs += 1 }
        }
        if generation != nil, let recorder {
            recorder.generation = next.number
            // Other libraries than those that come now should not have to go over what was before.
            queue.enqueueAtRest { [weak self] in self?.onIdle?() }
        }
        dependencies.pass.reserve(stops: next.links.count)
        next.hooks = heard
        if let generation { next.follow(generation) }
        generation = next
        emitters.set(next.instances)
        queue.open(next)
    }

    /// Takes note of an action that comes in hand; what an instance applies to its own state is that one's doing.
    private func note(_ dispatched: DispatchedAction<AnyAction>, in probation: Probation) {
        guard dispatched.dispatcher.cause.kind != .own else { return }
        let sequence = recorder.map { $0.sequence &+ 1 } ?? UInt64(dependencies.pass.progress.actions + 1)
        probation.actions.append(Probation.Entry(dispatched: dispatched, sequence: sequence))
    }

    /// Says that the running generation stays; called in the drain.
    package func settleGeneration() {
        let ended = probation
        probation = nil
        ended?.settle()
    }

    /// A turn of whoever is in the drain now; nil when the host has ended, or another process goes on for it.
    package var turn: Turn? { isHandedOver ? nil : generation.map(Turn.init) }

    /// Leaves what comes from here on to another process; called in the drain.
    ///
    /// The generation stays, for what clients of its instances have under way.
    func handOver() {
        isHandedOver = true
        queue.close()
    }

    /// Sends what waits to be sent to workers together, if anything does; whoever dispatches actions whose text is followed calls it after
    /// them.
    func sendOrders() {
        guard unsent.count > 0 else { return }
        queue.enqueue { [unsent] in unsent.send() }
    }

    /// Does something between two actions for a thread that waits until it is done; not called in the drain.
    ///
    /// - Parameters:
    ///   - limit: how long the drain may take to come to it, `patience` by default; what has begun is waited for.
    ///   - isIdle: whether it is done only when nothing waits that follows from what came before.
    /// - Throws: `DrainBusy` when the drain did not come to it; it is never done then.
    package func between<Result>(
        _ limit: Duration? = nil, whenIdle isIdle: Bool = false, _ body: @escaping () -> Result
    ) throws(DrainBusy) -> Result {
        let limit = limit ?? patience
        // Written by the job, read when it is done.
        nonisolated(unsafe) var result: Result?
        let job = DrainJob { [unsent] in
            // Whoever looks at instances between two actions finds that workers have all their orders.
            unsent.send()
            unsafe result = body()
        }
        if isIdle { queue.enqueueAtRest { job.run() } } else { queue.enqueue { job.run() } }
        guard job.wait(atMost: limit), let result = unsafe result else {
            throw DrainBusy(instance: busyInstance, limit: limit)
        }
        return result
    }

    /// Lets an instance change its state by an action of its own, before the action in hand goes on; called in the drain.
    ///
    /// Only its reducer sees the action, and everybody who hears what passes the host: it is part of what led to the state. It
    /// leaves the instance for nobody else, so it needs no permission. Traps inside a reducer.
    func apply(_ dispatched: DispatchedAction<AnyAction>, by instance: Instance) {
        precondition(
            !state.isReducing, "a reducer must not apply actions; it is given the state it changes")
        let progress = dependencies.pass.progress
        if progress.countAction() == dependencies.pass.samples.next { dependencies.pass.beginSample() }
        heard.onAction?(instance.outlet.own(dispatched, in: queue))
        heard.onOwnAction?(dispatched.action)
        let change = progress.during(.reduce, of: instance) {
            state.change { instance.reduce(dispatched.action) }
        }
        if let recorder {
            let own = instance.outlet.recorded(dispatched, in: queue)
            _ = recorder.begin(own.dispatcher)
            recorder.record(own, text: nil, isInput: false, time: dependencies.pass.time)
        }
        if change == .changed { generation?.tellChange() }
    }

    /// The instance whose code the drain runs, if it runs any at this moment; callable from any thread.
    package var busyInstance: String? {
        dependencies.pass.progress.numberInHand.flatMap { emitters.id(of: $0) }
    }

    /// Ends everything: what comes later is dropped; called in the drain.
    func close() {
        generation?.retire()
        generation = nil
        emitters.set([])
        queue.close()
    }

    /// The instances that there are, for whoever must name one of them from outside of the drain.
    private final class Emitters: Sendable {
        /// What is known of one.
        private struct Entry {
            /// What the flight recorder knows it by.
            let number: Int
            /// Where its outputs go out.
            let output: InstanceOutput
        }

        /// In chain order, retired ones last.
        private let entries = Mutex<[Entry]>([])

        /// The outputs of all of them.
        var outputs: [InstanceOutput] { entries.withLock { $0.map(\.output) } }

        /// Takes note of those that there are from here on.
        func set(_ instances: [Instance]) {
            let made = instances.map { Entry(number: $0.number, output: $0.outlet) }
            entries.withLock { $0 = made }
        }

        /// The id of the instance with a number; nil for none.
        func id(of number: Int) -> String? {
            entries.withLock { $0.first { $0.number == number }?.output.id }
        }
    }
}
