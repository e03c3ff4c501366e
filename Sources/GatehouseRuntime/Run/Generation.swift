// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseJournal
package import GatehouseSDK

/// One loaded set of instances with their routes, and what the host's queue runs; replaced as a whole, never edited.
///
/// Used in the drain. The queue keeps it until the pass it is in has ended, and it keeps the instances; hence nothing on the
/// way of an action holds either.
///
/// `@unchecked Sendable`: apart from `queue`, which is `Sendable`, everything is touched only in the drain, or before anybody
/// else knows the generation.
@safe
package final class Generation: DrainBody, @unchecked Sendable {
    package typealias Element = DispatchedAction<AnyAction>

    /// The number of the generation; the first of a host is 1.
    let number: Int
    /// The links of the chain, in order.
    let links: [ChainLink]
    /// What it shares with the generations before and after it.
    let store: HostStore
    /// The state of the application.
    let state: StateBox<StateTree>
    /// What others may know of the run at any moment.
    let progress: RunProgress
    /// Any line of what is read; nil before anything is.
    private var input: ActionSource?
    /// Those whose gates follow the state.
    private let stateGated: [Instance]
    /// Grows with each type that is first seen.
    let routes: RouteTable
    /// The action in hand.
    let pass: Pass
    /// Gives the generation its turns.
    let queue: DrainQueue<Generation>
    /// Told about host actions that cannot be done.
    let report: @Sendable (HostReport) -> Void
    /// Who hears what passes; set by the core.
    var hooks: RunHooks {
        didSet {
            countListeners()
            for link in links { link.instance.onStop = hooks.onStop }
            misses?.end()
            misses = hooks.onStop.map { GateMisses(in: queue, tell: $0) }
        }
    }
    /// Tells which actions miss closed gates; nil while nobody wants to know.
    private var misses: GateMisses?
    /// Whether anybody acts on changes of the state.
    private var mindsChanges: Bool
    /// Takes note of what reached the reducers; nil without a journal. The core holds it, so that a pass counts no reference.
    let recorder: Unmanaged<ActionRecorder>?

    /// A generation that does not run yet.
    init(_ links: [ChainLink], number: Int = 1, in store: HostStore) {
        self.number = number
        self.links = links
        self.store = store
        state = store.state
        stateGated = links.filter(\.followsState).map(\.instance)
        pass = store.dependencies.pass
        progress = pass.progress
        routes = RouteTable(links, seen: store.seen, flightRecorder: progress.flightRecorder)
        queue = store.queue
        report = store.report
        unsafe recorder = store.recorder.map { unsafe Unmanaged.passUnretained($0) }
        // The core gives it those there are when it begins to run: they may change while it is made.
        hooks = RunHooks()
        mindsChanges = !stateGated.isEmpty
    }

    /// The number of the last action: that of the journal, or without one the count of this run; called in the drain.
    var lastSequence: UInt64 { store.recorder?.sequence ?? UInt64(progress.actions) }

    /// The instances, in chain order.
    var instances: [Instance] { links.map(\.instance) }

    /// Runs what the instances emit before the first action, once all are started.
    func start() {
        // Before anything else, so that instances that were granted the state see it from their very start.
        store.dependencies.window.open(on: state, in: queue)
        ask(instances, to: .start) { $0.start() }
    }

    /// Runs what instances that are new in it emit before their first action; called in the drain, when it has begun to run.
    func start(_ new: [Instance]) {
        // Slices have their places by now.
        for instance in stateGated { instance.forgetSlices() }
        ask(new, to: .start) { $0.start() }
        refreshGates()
    }

    /// Lets the instances finish: cancels effects that are not finishing, and runs what the instances want done at the end.
    func stop() { stop(instances) }

    /// Lets some of the instances finish: cancels effects that are not finishing, and runs what they want done at the end.
    func stop(_ some: [Instance]) {
        progress.take()
        for instance in some { progress.during(.cancel, of: instance) { instance.stopEffects() } }
        ask(some, to: .stopping) { $0.stopping() }
    }

    /// Asks instances for work, first to last, and runs it, last to first.
    private func ask(_ some: [Instance], to step: PluginStep, _ question: (Instance) -> IO<AnyAction>) {
        gatehouse_watch_thread()
        progress.take()
        for instance in some {
            progress.enter(step, of: instance)
            let io = question(instance)
            if !io.isPure { unsafe pass.add(io, of: .passUnretained(instance)) }
        }
        pass.runAnswers()
        progress.leave()
    }

    /// Cancels every running effect.
    func cancelEffects() {
        progress.take()
        for instance in instances { progress.during(.cancel, of: instance) { instance.cancelEffects() } }
    }

    /// Cancels every running effect, and shows the state to nobody any more; called when the host goes.
    func retire() {
        cancelEffects()
        store.dependencies.window.close()
    }

    // MARK: - A pass

    /// Says what lines of input have as their source; called in the drain.
    func isReading(_ source: ActionSource) { input = source }

    /// Knows from here on what is read, as the generation before does; called in the drain.
    func follow(_ before: Generation) { input = before.input }

    /// The types of input that nobody hears, so far.
    var unheard: UnheardTypes { store.seen.unheardTypes(among: links) }

    /// Gives the text of the action that is processed next, and where it comes from: the generation before may have been told.
    @inline(__always)
    package func isReading(_ text: ActionText, of source: ActionSource) {
        pass.text = text
        input = source
    }

    package func process(_ dispatched: DispatchedAction<AnyAction>) {
        gatehouse_watch_thread()
        progress.take()
        let route = routes.route(for: dispatched.action.type)
        if route.isIntercepted {
            intercept(dispatched)
        } else {
            advance(dispatched, by: route)
            finish()
        }
        if unsafe recorder != nil { endRecording(dispatched.dispatcher.cause) }
    }

    /// Processes an action as interceptors have let it pass before; for looking back.
    func processPast(_ dispatched: DispatchedAction<AnyAction>) {
        advance(dispatched, by: routes.route(for: dispatched.action.type))
        finish()
    }

    /// Takes note that the pass of an action is over.
    func endRecording(_ cause: ActionCause) {
        let isIdle = queue.isSettled
        unsafe recorder?._withUnsafeGuaranteedRef { $0.finish(cause, isIdle: isIdle) }
    }

    /// Shows an action that passed all interceptors to the instances of its route, and lets their reducers change the state.
    ///
    /// - Parameter isChanged: whether it is not the one that came.
    @inline(__always)
    func advance(
        _ dispatched: DispatchedAction<AnyAction>, isChanged: Bool = false, by route: Route
    ) {
        hooks.onAction?(dispatched)
        let number = progress.countAction()
        if number == pass.samples.next { pass.beginSample() }
        pass.begin(from: dispatched.dispatcher)
        if unsafe recorder != nil {
            beginRecording(route.type, from: dispatched.dispatcher)
        } else {
            queue.mark = progress.begin(
                UInt64(truncatingIfNeeded: number), route.type, from: dispatched.dispatcher)
        }
        switch unsafe route.stops.count {
        case 0: if !route.isNoted, input != nil { noteUnheard(route, from: dispatched.dispatcher) }
        case 1:
            pass.take(dispatched.action)
            handleOnly(dispatched, by: route)
        default:
            pass.take(dispatched.action)
            handle(dispatched, by: route)
        }
        if route.reduces { reduce(dispatched.action, by: route) }
        if let request = route.request { fulfil(request, dispatched) }
        if unsafe recorder != nil { record(dispatched, isChanged: isChanged) }
    }

    /// Takes an action in hand under the number that the journal gives it; apart, as the next, so that others need no room for it.
    @inline(never)
    private func beginRecording(_ type: ActionType, from source: ActionSource) {
        unsafe recorder?._withUnsafeGuaranteedRef {
            let mark = progress.begin($0.begin(source), type, from: source)
            queue.mark = mark
            progress.note(input: $0.inputNumber(of: mark))
        }
    }

    /// Takes note of input that nobody hears, the first time.
    @inline(never)
    private func noteUnheard(_ route: Route, from source: ActionSource) {
        guard let input, source.hasSameOrigin(as: input), route.request == nil else { return }
        routes.noteUnheard(route.type)
    }

    /// Takes note of an action that the reducers are through with.
    private func record(_ dispatched: DispatchedAction<AnyAction>, isChanged: Bool) {
        let text = isChanged ? nil : pass.text
        let time = pass.time
        unsafe recorder?._withUnsafeGuaranteedRef {
            $0.record(
                dispatched, text: text,
                isInput: !isChanged && dispatched.dispatcher.cause.isInput, time: time)
        }
    }

    /// Runs what is left to do when the reducers and all interceptors are done.
    @inline(__always)
    func finish() {
        tellReduction()
        pass.runAnswers()
        pass.end()
        queue.mark = 0
        progress.leave()
    }

    /// Acts on a change by the reducers, once: an action that interceptors let pass does so before they continue.
    @inline(__always)
    func tellReduction() {
        guard pass.isChanged, mindsChanges else { return }
        pass.isChanged = false
        progress.leave()
        tellChange()
    }

    /// Shows an action to the instances concerned, first to last.
    @inline(never)
    private func handle(_ dispatched: DispatchedAction<AnyAction>, by route: Route) {
        var lifted = dispatched.action
        for index in unsafe 0..<route.stops.count {
            let stop = unsafe route.stops[index]
            guard let local = admit(dispatched.action, to: stop, at: index) else {
                miss(at: index)
                continue
            }
            // Most that hear one type hear it by one name.
            lifted.rename(to: local)
            handle(lifted, from: dispatched.dispatcher, at: stop)
        }
    }

    /// Shows an action to the only instance concerned.
    @inline(__always)
    private func handleOnly(_ dispatched: DispatchedAction<AnyAction>, by route: Route) {
        let stop = unsafe route.stops[0]
        guard let local = admit(dispatched.action, to: stop, at: 0) else { return miss(at: 0) }
        handle(dispatched.action.renamed(local), from: dispatched.dispatcher, at: stop)
    }

    /// Asks the gate at a stop; gives the type that the plugin hears, nil when it hears nothing.
    @inline(__always)
    private func admit(_ action: AnyAction, to stop: Route.Stop, at index: Int) -> ActionType? {
        let hasPassed = unsafe stop.reference._withUnsafeGuaranteedRef { $0.lets(action, pass: stop) }
        pass.note(hasPassed, at: index)
        return hasPassed ? stop.local : nil
    }

    /// Takes note that an instance does not hear the action in hand, if that is the doing of its gate.
    ///
    /// Finds anew what the caller knows, so that the way of an action that passes needs no room for it.
    @inline(never)
    private func miss(at index: Int) {
        guard !pass.hasPassed(index), let action = pass.action else { return }
        let stop = unsafe routes.route(for: action.type).stops[index]
        // In quarantine it is told otherwise.
        guard stop.local != nil, stop.instance.standing == nil, stop.instance.followsStops else { return }
        stop.instance.keep(.gated, action, from: pass.source, because: TurnedAwayAction.closedGate)
        misses?.note(action, from: pass.source, at: stop.instance.id)
    }

    /// The instances that did not hear the last action because of their gates, in chain order; its type is given. Called between two
    /// actions.
    func missed(_ type: ActionType) -> [String] {
        let route = routes.route(for: type)
        return unsafe (0..<route.stops.count).compactMap { index in
            let stop = unsafe route.stops[index]
            guard stop.local != nil, stop.instance.standing == nil, !pass.hasPassed(index) else { return nil }
            return stop.instance.id
        }
    }

    /// Shows an action under its local type to an instance, and keeps the answer.
    @inline(__always)
    private func handle(_ action: AnyAction, from dispatcher: ActionSource, at stop: Route.Stop) {
        unsafe stop.reference._withUnsafeGuaranteedRef {
            progress.enter(.handle, of: $0)
            $0.account.heard &+= 1
            let io =
                pass.isSample
                ? $0.handleTimed(action, from: dispatcher) : $0.handle(action, from: dispatcher)
            if !io.isPure { unsafe pass.add(io, of: stop.reference) }
        }
    }

    /// Applies the reducers of the instances whose gates let the action pass, first to last.
    @inline(never)
    private func reduce(_ action: AnyAction, by route: Route) {
        var lifted = action
        state.beginChange()
        for index in unsafe 0..<route.stops.count where pass.hasPassed(index) {
            let stop = unsafe route.stops[index]
            guard let local = stop.local else { continue }
            lifted.rename(to: local)
            let change = unsafe stop.reference._withUnsafeGuaranteedRef {
                progress.enter(.reduce, of: $0)
                return pass.isSample ? $0.reduceTimed(lifted) : $0.reduce(lifted)
            }
            if change == .changed { pass.isChanged = true }
        }
        state.endChange()
    }

    /// The ids of those who hear actions of a type, in chain order, also by their gates alone; nil where the host does.
    func listeners(of type: ActionType) -> [String]? {
        let route = routes.route(for: type)
        if route.request != nil { return nil }
        return unsafe route.stops.map { $0.instance.id }
    }

    /// Lets gates that follow the state take note of a change.
    func refreshGates() {
        for instance in stateGated { instance.refreshGate() }
    }

    /// Acts on a change of the state; apart, so that the way of an action needs no room for it.
    @inline(never)
    func tellChange() {
        guard mindsChanges else { return }
        refreshGates()
        hooks.onChange?()
        store.tellObservers()
    }

    /// Finds out whether anybody acts on changes of the state.
    func countListeners() {
        mindsChanges = !stateGated.isEmpty || hooks.onChange != nil || !store.observers.isEmpty
    }

    package var isReducing: Bool { state.isReducing }

    package func noticeDispatchInReducer(_ dispatched: DispatchedAction<AnyAction>) {
        queue.report(.dispatchFromReducer(dispatcher: dispatched.dispatcher))
    }
}
