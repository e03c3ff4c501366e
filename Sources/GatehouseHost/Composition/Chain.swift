// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The middleware of the host's store: shows each action to the generation in use, by its route.
///
/// Used in the drain. It is also the body of an IO that it returns: what tells others of an action waits until the reducers
/// have run, so that those who are told may read the state.
final class Chain: MiddlewareProtocol, IOBody {
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
    /// The host action in hand and who dispatched it; nil while another action is.
    private var hostAction: DispatchedAction<AnyAction>?
    /// Why nothing was merged for the host action in hand; nil when that is not so.
    private var mergeRefusal: String?
    /// What the instances answered to the action in hand, until it is run.
    private var answer: IO<AnyAction> = .pure()
    /// Whether the action in hand changed the state.
    private var isChanged = false
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
        let isHostAction = action.type == mergeState || action.type == openGate || action.type == closeGate
        let answer = host.generation.handle(action, from: dispatcher, state: self.state)
        guard isHostAction || host.generation.followsState else { return answer }
        hostAction = isHostAction ? DispatchedAction(action, dispatcher: dispatcher) : nil
        self.answer = answer
        return IO(body: self)
    }

    /// Moves the gates that follow the state, tells about host actions that cannot be done, and runs the answers.
    func run(_ output: AnyActionHandler<AnyAction>) {
        let answer = answer
        self.answer = .pure()
        if isChanged { host.generation.refreshGates() }
        if let hostAction {
            self.hostAction = nil
            if let reason = mergeRefusal ?? gateRefusal(of: hostAction.action) {
                report(
                    .refusedHostAction(
                        source: hostAction.dispatcher, type: hostAction.action.type.name, reason: reason))
            }
        }
        answer.run(output)
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
            mergeRefusal = action.type == mergeState ? merge(action) : nil
            if action.type == mergeState, mergeRefusal == nil { change = .changed }
            isChanged = change == .changed
            return change
        }
    }

    /// Merges a patch that an operator sent; returns why it was not merged, nil when it was.
    private func merge(_ action: AnyAction) -> String? {
        guard let patch = action.payload, case .object = patch else {
            return "expected an object as payload, found \(action.payload?.kindName ?? "none")"
        }
        guard patch[ReservedNames.identifier] == nil else {
            return
                "the patch reaches into \(ReservedNames.slice), which belongs to the host; nothing was merged"
        }
        return host.tree.merge(patch).map {
            "the patch reaches into \($0.pointer), which belongs to the instance \($0.instance); nothing was merged"
        }
    }

    /// Why a host action moved no gate; nil when it did, and for one that moves none.
    ///
    /// The gates themselves have seen it already.
    private func gateRefusal(of action: AnyAction) -> String? {
        guard action.type == openGate || action.type == closeGate else { return nil }
        let instances = host.generation.instances
        guard case .string(let id) = action.payload, let instance = instances.first(where: { $0.id == id })
        else {
            let known =
                instances.isEmpty
                ? "there are none" : "the instances are \(instances.map(\.id).joined(separator: ", "))"
            return
                "expected the id of an instance as payload, found \(action.payload.map { $0.json() } ?? "none"); \(known)"
        }
        return instance.statePointer.map {
            "the gate of \(id) follows the state at \($0); change it with \(HostActions.mergeState)"
        }
    }
}
