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
    /// What the store owns; set once, before the first action. Unowned, because its gates keep what reads it.
    private var state: GetState<HostState>?

    /// The chain of one store.
    init(report: @escaping @Sendable (HostReport) -> Void, onAction: ((AnyAction) -> Void)?) {
        self.report = report
        self.onAction = onAction
    }

    func start(state: GetState<HostState>) -> IO<AnyAction> {
        let host = state()
        let getter = GetState { [unowned host] in host }
        self.state = getter
        return host.generation.start(state: getter)
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<HostState>
    ) -> IO<AnyAction> {
        onAction?(action)
        let host = state()
        host.actionCount &+= 1
        host.inHand.dispatcher = dispatcher
        return host.generation.handle(action, from: dispatcher, state: self.state ?? state)
    }

    func cancelEffects() { state?().generation.cancelEffects() }

    /// Applies the reducers of the instances that the last `handle` concerned, and the host's own.
    var reducer: Reducer<AnyAction, HostState> {
        Reducer { [self] action, host in
            var change = host.generation.reduce(action)
            if action.type == HostActions.mergeState { change = change | merge(action, into: host) }
            if action.type == HostActions.openGate || action.type == HostActions.closeGate {
                check(gateAction: action, host)
            }
            if change == .changed { host.generation.refreshGates() }
            return change
        }
    }

    /// Merges a patch that an operator sent.
    private func merge(_ action: AnyAction, into host: HostState) -> StateChange {
        guard let patch = action.payload, case .object = patch else {
            refuse(host, action, "expected an object as payload, found \(action.payload?.kindName ?? "none")")
            return .unchanged
        }
        guard patch[ReservedNames.identifier] == nil else {
            refuse(host, action, "the patch reaches into \(ReservedNames.slice), which belongs to the host; nothing was merged")
            return .unchanged
        }
        guard let reached = host.tree.merge(patch) else { return .changed }
        refuse(
            host, action,
            "the patch reaches into \(reached.pointer), which belongs to the instance \(reached.instance); nothing was merged")
        return .unchanged
    }

    /// Tells when a gate action moves nothing; the gates themselves have seen it already.
    private func check(gateAction action: AnyAction, _ host: HostState) {
        let instances = host.generation.instances
        guard case .string(let id) = action.payload, let instance = instances.first(where: { $0.id == id }) else {
            let known = instances.isEmpty ? "there are none" : "the instances are \(instances.map(\.id).joined(separator: ", "))"
            return refuse(
                host, action,
                "expected the id of an instance as payload, found \(action.payload.map { $0.json() } ?? "none"); \(known)")
        }
        guard let pointer = instance.statePointer else { return }
        refuse(host, action, "the gate of \(id) follows the state at \(pointer); change it with \(HostActions.mergeState)")
    }

    private func refuse(_ host: HostState, _ action: AnyAction, _ reason: String) {
        report(.refusedHostAction(source: host.inHand.dispatcher, type: action.type.name, reason: reason))
    }
}
