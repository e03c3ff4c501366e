// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// One loaded set of instances with their routes; replaced as a whole, never edited.
///
/// Used in the drain.
final class Generation {
    /// In chain order.
    let instances: [Instance]
    /// Those whose gates follow the state.
    private let stateGated: [Instance]
    private var routes: RouteTable
    /// The route of the action in hand.
    private var route = Route(stops: [])
    private var answers = IOStack<AnyAction>()

    /// A generation of instances in chain order.
    init(instances: [Instance]) {
        self.instances = instances
        stateGated = instances.filter { $0.statePointer != nil }
        routes = RouteTable(instances: instances)
    }

    /// Shows an action to the instances concerned, first to last; their work runs last to first.
    func handle(
        _ action: AnyAction, from dispatcher: ActionSource, state: GetState<HostState>
    ) -> IO<AnyAction> {
        let stack = IOStack.reuse(&answers)
        route = routes.route(for: action.type)
        for stop in route.stops {
            stack.push(stop.instance.handle(action, as: stop.local, from: dispatcher, state: state))
        }
        return stack.io
    }

    /// Applies the reducers of the instances that the last `handle` concerned, first to last.
    func reduce(_ action: AnyAction) -> StateChange {
        var change = StateChange.unchanged
        for stop in route.stops {
            guard let local = stop.local else { continue }
            change = change | stop.instance.reduce(action, as: local)
        }
        return change
    }

    /// Lets gates that follow the state take note of a change.
    func refreshGates() {
        for instance in stateGated { instance.refreshGate() }
    }

    /// Called once, before the first action.
    func start(state: GetState<HostState>) -> IO<AnyAction> {
        let stack = IOStack.reuse(&answers)
        for instance in instances { stack.push(instance.start(state: state)) }
        return stack.io
    }

    /// Cancels every running effect.
    func cancelEffects() {
        for instance in instances { instance.cancelEffects() }
    }
}
