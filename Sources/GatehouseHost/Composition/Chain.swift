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
    /// What the store owns.
    private let host: HostState
    /// Reads it without holding it, because the gates in it keep what reads it.
    private let state: GetState<HostState>
    /// Who dispatched the host action in hand.
    private var dispatcher = ActionSource(file: "", function: "", line: 0, info: nil)
    /// The host's own actions, looked up once.
    private let mergeState = HostActions.mergeState
    /// Opens the gate of the instance that its payload names.
    private let openGate = HostActions.openGate
    /// Closes the gate of the instance that its payload names.
    private let closeGate = HostActions.closeGate

    /// The chain of one store.
    init(
        _ host: HostState, report: @escaping @Sendable (HostReport) -> Void, onAction: ((AnyAction) -> Void)?
    ) {
        self.host = host
        state = GetState { [unowned host] in host }
        self.report = report
        self.onAction = onAction
    }

    func start(state: GetState<HostState>) -> IO<AnyAction> {
        IO { [host, state = self.state] output in
            // Before anything else, so that instances that were granted the state see it from their very start.
            if let drain = output.sink.drain { host.window.belong(to: host, drain: drain) }
            host.generation.start(state: state).run(output)
        }
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<HostState>
    ) -> IO<AnyAction> {
        onAction?(action)
        host.actionCount &+= 1
        if action.type == mergeState || action.type == openGate || action.type == closeGate {
            self.dispatcher = dispatcher
        }
        return host.generation.handle(action, from: dispatcher, state: self.state)
    }

    /// Shows each action to the instances that decide about it; none when no instance does.
    ///
    /// Nothing is counted or printed here: an action that is stopped has not been processed.
    var interceptors: [AnyInterceptor<AnyAction, HostState>] {
        guard host.generation.intercepts else { return [] }
        return [
            AnyInterceptor(
                concerns: { [host] in host.generation.intercepts($0.type) },
                enter: { [host, state] way in
                    host.generation.intercept(
                        Interception(
                            action: way.action, from: way.dispatcher, state: state, output: way.output,
                            onward: way.onward))
                },
                // Each instance has a gate of its own; there is none around all.
                gateChanged: { _ in })
        ]
    }

    func cancelEffects() { host.generation.cancelEffects() }

    /// Applies the reducers of the instances that the last `handle` concerned, and the host's own.
    var reducer: Reducer<AnyAction, HostState> {
        Reducer { [self] action, _ in
            var change = host.generation.reduce(action)
            if action.type == mergeState { change = change | merge(action, into: host) }
            if action.type == openGate || action.type == closeGate {
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
            refuse(
                host, action,
                "the patch reaches into \(ReservedNames.slice), which belongs to the host; nothing was merged"
            )
            return .unchanged
        }
        guard let reached = host.tree.merge(patch) else { return .changed }
        refuse(
            host, action,
            "the patch reaches into \(reached.pointer), which belongs to the instance \(reached.instance); nothing was merged"
        )
        return .unchanged
    }

    /// Tells when a gate action moves nothing; the gates themselves have seen it already.
    private func check(gateAction action: AnyAction, _ host: HostState) {
        let instances = host.generation.instances
        guard case .string(let id) = action.payload, let instance = instances.first(where: { $0.id == id })
        else {
            let known =
                instances.isEmpty
                ? "there are none" : "the instances are \(instances.map(\.id).joined(separator: ", "))"
            return refuse(
                host, action,
                "expected the id of an instance as payload, found \(action.payload.map { $0.json() } ?? "none"); \(known)"
            )
        }
        guard let pointer = instance.statePointer else { return }
        refuse(
            host, action,
            "the gate of \(id) follows the state at \(pointer); change it with \(HostActions.mergeState)")
    }

    /// Reports a host action that cannot be done, with the source of the action in hand.
    private func refuse(_ host: HostState, _ action: AnyAction, _ reason: String) {
        report(.refusedHostAction(source: dispatcher, type: action.type.name, reason: reason))
    }
}
