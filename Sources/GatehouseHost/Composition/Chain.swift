// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The middleware and the reducer of the host's store: whatever the current generation is.
///
/// Used in the drain.
final class Chain: MiddlewareProtocol {
    typealias InputActionType = AnyAction
    typealias OutputActionType = AnyAction
    typealias StateType = StateTree

    private let generation: Generation
    private let report: @Sendable (HostReport) -> Void
    /// Told about each action, before the instances; for printing.
    private let onAction: ((AnyAction, ActionSource) -> Void)?
    /// Who dispatched the action in hand.
    private var dispatcher = ActionSource(file: "", function: "", line: 0, info: nil)
    /// How many actions have been processed.
    private(set) var actionCount = 0

    /// A chain of one generation.
    init(
        _ generation: Generation, report: @escaping @Sendable (HostReport) -> Void,
        onAction: ((AnyAction, ActionSource) -> Void)?
    ) {
        self.generation = generation
        self.report = report
        self.onAction = onAction
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<StateTree>
    ) -> IO<AnyAction> {
        actionCount += 1
        self.dispatcher = dispatcher
        onAction?(action, dispatcher)
        return generation.handle(action, from: dispatcher, state: state)
    }

    func start(state: GetState<StateTree>) -> IO<AnyAction> { generation.start(state: state) }

    func cancelEffects() { generation.cancelEffects() }

    /// Applies the host's own reducer and those of the instances.
    var reducer: Reducer<AnyAction, StateTree> {
        Reducer { [self] action, tree in
            var change = generation.reduce(action)
            if action.type == HostActions.mergeState { change = change | merge(action, into: tree) }
            if change == .changed { generation.refreshGates() }
            return change
        }
    }

    /// Merges a patch that an operator sent.
    private func merge(_ action: AnyAction, into tree: StateTree) -> StateChange {
        guard let patch = action.payload, case .object = patch else {
            report(
                .refusedHostAction(
                    source: dispatcher, type: action.type.name,
                    reason: "expected an object as payload, found \(action.payload?.kindName ?? "none")"))
            return .unchanged
        }
        guard let reached = tree.merge(patch) else { return .changed }
        report(
            .refusedHostAction(
                source: dispatcher, type: action.type.name,
                reason: "the patch reaches into \(reached.pointer), which belongs to the instance \(reached.instance); nothing was merged"))
        return .unchanged
    }
}
