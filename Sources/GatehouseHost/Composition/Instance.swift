// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK

/// One use of a plugin in the configuration: lifted to the host's types, behind its gate.
///
/// The lift is spread over where it is known once: the route gives the local type, the slice is the instance's own, the
/// services are injected here, and `InstanceOutput` gives outputs their global types. The gate stands outside the lift.
/// Belongs to one generation and is used in its store's drain.
public final class Instance {
    /// The id in the configuration.
    public let id: String
    /// The plugin it is a use of.
    public let manifest: PluginManifest
    /// Where its slice is.
    public let slicePointer: JSONPointer
    /// Its state; empty for a plugin without.
    let slice: Slice
    /// How its action names and the host's belong together.
    let names: LiftedNames
    /// Lets its outputs out.
    let output: InstanceOutput
    /// Types of control actions that its gate must see.
    let controls: [String]
    /// The place of the state that moves its gate, nil for a gate that actions move.
    let statePointer: JSONPointer?

    /// The plugin's middlewares, composed.
    private let plugin: AnyMiddleware<AnyAction, AnyAction, Slice>
    /// Decides about actions ahead of everybody's middlewares; nil for a plugin that does not.
    private let interceptor: AnyInterceptor<AnyAction, Slice>?
    /// Actions that it stopped, or has not let pass yet.
    private(set) var stoppedActions = 0
    /// Reads the slice; made once.
    private let state: GetState<Slice>
    /// Changes the slice.
    private let reducer: Reducer<AnyAction, Slice>?
    /// Decides which actions and outputs pass.
    private let decision: Gate<AnyAction, HostState>
    /// What becomes of running effects when the gate closes.
    private let onClose: GateClosing
    /// The plugin's answer to the action in hand, until it is run.
    private var answer: IO<AnyAction> = .pure()
    /// What took the outputs last, and the instance's own sink in front of it.
    private var outer: ActionSink<AnyAction>?
    /// The instance's own sink in front of `outer`; made again when another one takes the outputs.
    private var inner: ActionSink<AnyAction>?
    /// Payloads that did not fit while the plugin handled the action in hand.
    private let misfits: Misfits
    /// Told about them.
    private let report: @Sendable (HostReport) -> Void
    /// Whether the gate let the action in hand pass: decided once, before the reducers.
    private var passed = false

    /// Lifts, gates and injects the parts of a plugin.
    ///
    /// - Throws: `CodingFailure` when the settings do not fit the plugin.
    init(
        _ planned: PlannedInstance, exports: PluginExports, dependencies: HostDependencies
    ) throws(CodingFailure) {
        let configuration = planned.entry
        let id = configuration.id
        let report = dependencies.report
        let misfits = Misfits()
        let parts = try exports.makeParts(settings: configuration.settings) { action, failure in
            misfits.add(action.type, failure)
        }
        let services = dependencies.services(for: id, granted: configuration.lift.dependencies)
        let middlewares = parts.readers.map { $0.inject(services) }
        let gate = InstanceGate(configuration)
        let decision = gate.decision
        let output = InstanceOutput(
            id: id, names: planned.names, gate: decision, misfits: misfits, report: report)
        let slice = parts.slice
        self.id = id
        manifest = planned.manifest
        self.slice = slice
        names = planned.names
        self.output = output
        self.decision = decision
        self.misfits = misfits
        self.report = report
        slicePointer = configuration.slice
        plugin =
            middlewares.count == 1 ? middlewares[0] : ComposedMiddleware(middlewares).eraseToAnyMiddleware()
        interceptor = parts.interceptor.map { $0(services) }
        state = GetState { slice }
        reducer = parts.reducer
        onClose = configuration.onClose == .keep ? .keep : .cancel
        controls = configuration.gate.controls
        statePointer = gate.statePointer
    }

    /// Whether its gate is open.
    public var gate: GateState { decision.position }

    /// Outputs that its gate has dropped.
    public var droppedOutputs: Int { decision.droppedOutputs }

    /// Whether it decides about actions.
    var intercepts: Bool { interceptor != nil }

    /// Shows an action to the gate and, under its local type, to the plugin's interceptor.
    ///
    /// What the interceptor lets pass goes on under its global type; the type that it heard needs no permission.
    func intercept(_ way: Interception<AnyAction, HostState>, at stop: Route.Stop) {
        guard let interceptor, let local = stop.local, lets(way.action, pass: way.state, at: stop),
            let inner = sink(before: way.output)
        else { return way.onward.pass(nil) }
        let outer = way.onward
        let heard = way.action.type
        var isStopped = true
        stoppedActions += 1
        let onward = Onward<AnyAction>(
            before: outer, late: { $0.map { $0.type == local ? $0.renamed(heard) : $0 } }
        ) { [self] changed in
            if isStopped {
                isStopped = false
                stoppedActions -= 1
            }
            guard let changed else { return outer.pass(nil) }
            if changed.type == local { return outer.pass(changed.renamed(heard)) }
            guard let allowed = output.lifted(changed, from: way.dispatcher) else { return }
            outer.pass(allowed)
        }
        interceptor.enter(
            Interception(
                action: way.action.renamed(local), from: way.dispatcher, state: state,
                output: AnyActionHandler(inner), onward: onward))
    }

    /// Lets an action move the gate, and tells whether it may pass.
    private func lets(_ action: AnyAction, pass host: GetState<HostState>, at stop: Route.Stop) -> Bool {
        if stop.isControl || statePointer != nil {
            return decision.lets(action, pass: host, onChange: gateChanged)
        }
        // Most actions move no gate, and most gates follow no state: a look is enough.
        return decision.position == .active
    }

    /// The instance's own sink in front of an output; remembered for the output seen last.
    private func sink(before output: AnyActionHandler<AnyAction>) -> ActionSink<AnyAction>? {
        if output.sink !== outer {
            outer = output.sink
            inner = self.output.sink(before: output.sink)
        }
        return inner
    }

    /// Shows an action to the gate and, under its local type, to the plugin.
    ///
    /// A control action that the lift does not map reaches the gate alone; the plugin is told by `gateChanged`.
    ///
    /// - Returns: whether there is an answer to run.
    func handle(
        _ action: AnyAction, at stop: Route.Stop, from dispatcher: ActionSource,
        state host: GetState<HostState>
    ) -> Bool {
        passed = lets(action, pass: host, at: stop)
        guard passed, let local = stop.local else { return false }
        // A plugin keeps the body of its answer and can fill it again only when nobody else holds it.
        answer = .pure()
        answer = plugin.handle(action: action.renamed(local), from: dispatcher, state: state)
        if !misfits.isEmpty { reportMisfits(of: action, from: dispatcher) }
        return !answer.isPure
    }

    /// Whether it changes the state.
    var reduces: Bool { reducer != nil }

    /// Applies the reducer, unless the gate kept the action away.
    func reduce(_ action: AnyAction, as local: ActionType) -> StateChange {
        guard let reducer, passed else { return .unchanged }
        var slice = slice
        return reducer.apply(action.renamed(local), &slice)
    }

    /// Called once, before the first action; returns whether there is an answer to run.
    func start(state host: GetState<HostState>) -> Bool {
        decision.start(host)
        answer = plugin.start(state: state)
        return !answer.isPure
    }

    /// Runs the plugin's answer, once; what it emits goes through gate and lift to the given output.
    func runAnswer(_ output: AnyActionHandler<AnyAction>) {
        guard !answer.isPure, let inner = sink(before: output) else { return }
        answer.run(AnyActionHandler(inner))
        answer = .pure()
    }

    /// Tells about payloads that the plugin's actions do not take.
    private func reportMisfits(of action: AnyAction, from dispatcher: ActionSource) {
        for (type, failure) in misfits.takeAll() {
            // An output that cannot be written has no name, and is not the action in hand.
            let name = type.name.isEmpty ? "" : action.type.name
            report(.undecodable(source: dispatcher, column: nil, type: name, instance: id, failure: failure))
        }
    }

    /// Looks at a gate that follows the state again.
    func refreshGate() { decision.refresh(onChange: gateChanged) }

    /// Cancels every running effect.
    func cancelEffects() { plugin.cancelEffects() }

    /// Acts on a gate that has moved.
    private func gateChanged(_ position: GateState) {
        if position == .bypass, onClose == .cancel { plugin.cancelEffects() }
        interceptor?.gateChanged(to: position)
        plugin.gateChanged(to: position)
    }
}
