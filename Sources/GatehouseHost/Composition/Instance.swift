// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK

/// One use of a plugin in the configuration: lifted to the host's types, behind its gate.
///
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
    /// Its middlewares behind lift and gate.
    private let gated: GatedMiddleware<AnyMiddleware<AnyAction, AnyAction, HostState>>
    /// Changes its slice.
    private let reducer: Reducer<AnyAction, Slice>?
    /// The action in hand, shared with the lift.
    private let hearing: Hearing
    /// Lets its outputs out.
    let output: InstanceOutput
    /// Puts `output` in front of whatever the store gives.
    private var relay: OutputRelay<AnyAction, AnyAction>
    /// Types of control actions that its gate must see.
    let controls: [ActionType]
    /// The place of the state that moves its gate, nil for a gate that actions move.
    let statePointer: JSONPointer?

    /// What the lift knows of the action in hand.
    final class Hearing {
        /// The global type.
        var type: ActionType?
        /// The local type, nil while the action is only for the gate.
        var local: ActionType?
        /// Who dispatched it.
        var dispatcher: ActionSource?
    }

    /// Lifts, gates and injects the parts of a plugin.
    ///
    /// - Throws: `CodingFailure` when the settings do not fit the plugin.
    init(
        _ configuration: InstanceConfiguration, exports: PluginExports, manifest: PluginManifest,
        dependencies: HostDependencies
    ) throws(CodingFailure) {
        let id = configuration.id
        let hearing = Hearing()
        let report = dependencies.report
        let parts = try exports.makeParts(settings: configuration.settings) { action, failure in
            guard let dispatcher = hearing.dispatcher else { return }
            let type = hearing.type ?? action.type
            report(
                .undecodable(
                    source: dispatcher, column: nil, type: type.name, instance: id, failure: failure))
        }
        let slice = parts.slice
        let gate = InstanceGate(configuration)
        let reader = parts.readers.reduce(
            MiddlewareReader<HostServices, ComposedMiddleware<AnyAction, AnyAction, Slice>>.identity
        ) { $0 <> $1 }
        let granted = configuration.lift.dependencies
        let lifted = reader.lift(
            inputAction: { (action: AnyAction) in hearing.local.map(action.renamed) },
            outputAction: { $0 },
            state: { (_: HostState) in slice },
            dependencies: { (host: HostDependencies) in host.services(for: id, granted: granted) })
        self.id = id
        self.manifest = manifest
        self.slice = slice
        slicePointer = configuration.lift.state ?? JSONPointer(tokens: [id])
        reducer = parts.reducer
        names = LiftedNames(
            instance: id, manifest: manifest, lift: configuration.lift, allow: configuration.allow)
        gated = gate.closing(lifted.inject(dependencies).eraseToAnyMiddleware())
        controls = gate.controls
        statePointer = gate.statePointer
        self.hearing = hearing
        let output = InstanceOutput(id: id, names: names, report: report)
        self.output = output
        relay = OutputRelay { output.sink(before: $0) }
    }

    /// Whether its gate is open.
    public var gate: GateState { gated.gate }

    /// Outputs that its gate has dropped.
    public var droppedOutputs: Int { gated.droppedOutputs }

    /// Shows an action to the gate and, under its local type, to the plugin.
    ///
    /// - Parameter local: nil for a control action that the lift does not map.
    func handle(
        _ action: AnyAction, as local: ActionType?, from dispatcher: ActionSource, state: GetState<HostState>
    ) -> IO<AnyAction> {
        hearing.type = action.type
        hearing.local = local
        hearing.dispatcher = dispatcher
        relay.release()
        return relay(gated.handle(action: action, from: dispatcher, state: state))
    }

    /// Applies the reducer, unless the gate kept the action away.
    func reduce(_ action: AnyAction, as local: ActionType) -> StateChange {
        guard let reducer, gated.lastActionPassed else { return .unchanged }
        var slice = slice
        return reducer.apply(action.renamed(local), &slice)
    }

    /// Called once, before the first action.
    func start(state: GetState<HostState>) -> IO<AnyAction> {
        relay.release()
        return relay(gated.start(state: state))
    }

    /// Looks at a gate that follows the state again.
    func refreshGate() { gated.refresh() }

    /// Cancels every running effect.
    func cancelEffects() { gated.cancelEffects() }
}
