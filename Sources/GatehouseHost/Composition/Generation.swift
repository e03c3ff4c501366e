// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// One loaded set of instances with their routes; replaced as a whole, never edited.
///
/// Used in the drain. It is also the body of the IO it returns: the store runs each answer once, before it shows the next
/// action, so the answers may wait in the instances themselves.
final class Generation: IOBody {
    /// In chain order.
    let instances: [Instance]
    /// Those whose gates follow the state.
    private let stateGated: [Instance]
    /// Grows with each type that is first seen.
    private var routes: RouteTable
    /// The route of the action in hand.
    private var route = Route(stops: [])
    /// Whether reducers of instances are changing slices at this moment.
    private(set) var isReducing = false

    /// A generation of instances in chain order.
    init(instances: [Instance]) {
        self.instances = instances
        stateGated = instances.filter { $0.statePointer != nil }
        routes = RouteTable(instances: instances)
    }

    /// Whether any instance decides about actions.
    var intercepts: Bool { instances.contains { $0.intercepts } }

    /// Whether any instance decides about a type.
    func intercepts(_ type: ActionType) -> Bool {
        !routes.route(for: type).intercepting.isEmpty
    }

    /// Shows an action to the instances that decide about its type, one after the other.
    ///
    /// An action that one of them changes goes on among those further down the chain that decide about what it became.
    func intercept(_ way: Interception<AnyAction, HostState>) {
        intercept(way.action, isChanged: false, at: 0, of: routes.route(for: way.action.type), way)
    }

    /// Shows an action to those from a place on among the instances of its route that decide about it.
    ///
    /// - Parameter isChanged: whether it is not the one that came.
    private func intercept(
        _ action: AnyAction, isChanged: Bool, at place: Int, of route: Route,
        _ way: Interception<AnyAction, HostState>
    ) {
        guard place < route.intercepting.count else { return way.onward.pass(isChanged ? action : nil) }
        let stop = route.intercepting[place]
        let onward = Onward<AnyAction>(
            before: way.onward, late: { $0 ?? (isChanged ? action : nil) }
        ) { [self] changed in
            guard let changed, changed.type != action.type else {
                return intercept(
                    changed ?? action, isChanged: isChanged || changed != nil, at: place + 1, of: route, way)
            }
            let other = routes.route(for: changed.type)
            let behind = other.intercepting.firstIndex { $0.index > stop.index }
            intercept(
                changed, isChanged: true, at: behind ?? other.intercepting.count, of: other, way)
        }
        stop.instance.intercept(way.with(action: action, onward: onward), at: stop)
    }

    /// Shows an action to the instances concerned, first to last; their work runs last to first.
    func handle(
        _ action: AnyAction, from dispatcher: ActionSource, state: GetState<HostState>
    ) -> IO<AnyAction> {
        let next = routes.route(for: action.type)
        if next !== route { route = next }
        if let only = next.only {
            return only.instance.handle(action, at: only, from: dispatcher, state: state)
                ? IO(body: self) : .pure()
        }
        var isPure = true
        for stop in next.stops where stop.instance.handle(action, at: stop, from: dispatcher, state: state) {
            isPure = false
        }
        return isPure ? .pure() : IO(body: self)
    }

    /// Runs the answers to the action in hand, last to first.
    func run(_ output: AnyActionHandler<AnyAction>) {
        let route = route
        if let only = route.only { return only.instance.runAnswer(output) }
        var index = route.stops.count
        while index > 0 {
            index -= 1
            route.stops[index].instance.runAnswer(output)
        }
    }

    /// Applies the reducers of the instances that the last `handle` concerned, first to last.
    func reduce(_ action: AnyAction) -> StateChange {
        var change = StateChange.unchanged
        let route = route
        guard route.reduces else { return change }
        isReducing = true
        for stop in route.stops {
            guard let local = stop.local else { continue }
            change = change | stop.instance.reduce(action, as: local)
        }
        isReducing = false
        return change
    }

    /// Whether gates follow the state.
    var followsState: Bool { !stateGated.isEmpty }

    /// Lets gates that follow the state take note of a change; called after the reducers.
    func refreshGates() {
        for instance in stateGated { instance.refreshGate() }
    }

    /// Called once, before the first action.
    func start(state: GetState<HostState>) -> IO<AnyAction> {
        IO { [instances] output in
            // All are started before the first answer runs.
            let answered = instances.filter { $0.start(state: state) }
            for instance in answered.reversed() { instance.runAnswer(output) }
        }
    }

    /// Cancels every running effect.
    func cancelEffects() {
        for instance in instances { instance.cancelEffects() }
    }
}
