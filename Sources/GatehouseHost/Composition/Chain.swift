// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The middleware of the host's store: shows each action to the generation in use, by its route.
///
/// Used in the drain.
final class Chain: MiddlewareProtocol {
    typealias InputActionType = AnyAction
    typealias OutputActionType = AnyAction
    typealias StateType = HostState

    /// Told about each action, before the instances; for printing.
    private let onAction: ((AnyAction) -> Void)?
    /// Told about host actions that cannot be done.
    private let report: @Sendable (HostReport) -> Void
    /// Who dispatched the action in hand.
    private var dispatcher = ActionSource(file: "", function: "", line: 0, info: nil)
    /// For cancelling, once the state is known.
    private var state: GetState<HostState>?

    /// The chain of one store.
    init(report: @escaping @Sendable (HostReport) -> Void, onAction: ((AnyAction) -> Void)?) {
        self.report = report
        self.onAction = onAction
    }

    func start(state: GetState<HostState>) -> IO<AnyAction> {
        self.state = state
        return state().generation.start(state: state)
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<HostState>
    ) -> IO<AnyAction> {
        self.dispatcher = dispatcher
        onAction?(action)
        let host = state()
        host.actionCount &+= 1
        return host.generation.handle(action, from: dispatcher, state: state)
    }

    func cancelEffects() { state?().generation.cancelEffects() }

    /// Applies the reducers of the instances that the last `handle` concerned, and the host's own.
    var reducer: Reducer<AnyAction, HostState> {
        Reducer { [self] action, host in
            var change = host.generation.reduce(action)
            if action.type == HostActions.mergeState { change = change | merge(action, into: host.tree) }
            if action.type == HostActions.openGate || action.type == HostActions.closeGate {
                check(gateAction: action, host.generation)
            }
            if change == .changed { host.generation.stateChanged() }
            return change
        }
    }

    /// Merges a patch that an operator sent.
    private func merge(_ action: AnyAction, into tree: StateTree) -> StateChange {
        guard let patch = action.payload, case .object = patch else {
            refuse(action, "expected an object as payload, found \(action.payload?.kindName ?? "none")")
            return .unchanged
        }
        guard patch[ReservedNames.identifier] == nil else {
            refuse(action, "the patch reaches into \(ReservedNames.slice), which belongs to the host; nothing was merged")
            return .unchanged
        }
        guard let reached = tree.merge(patch) else { return .changed }
        refuse(
            action,
            "the patch reaches into \(reached.pointer), which belongs to the instance \(reached.instance); nothing was merged")
        return .unchanged
    }

    /// Tells when a gate action moves nothing; the gates themselves have seen it already.
    private func check(gateAction action: AnyAction, _ generation: Generation) {
        let instances = generation.instances
        guard case .string(let id) = action.payload, let instance = instances.first(where: { $0.id == id }) else {
            let known = instances.isEmpty ? "there are none" : "the instances are \(instances.map(\.id).joined(separator: ", "))"
            return refuse(
                action,
                "expected the id of an instance as payload, found \(action.payload.map { $0.json() } ?? "none"); \(known)")
        }
        guard let pointer = instance.statePointer else { return }
        refuse(action, "the gate of \(id) follows the state at \(pointer); change it with \(HostActions.mergeState)")
    }

    private func refuse(_ action: AnyAction, _ reason: String) {
        report(.refusedHostAction(source: dispatcher, type: action.type.name, reason: reason))
    }
}
