// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse

/// A row of middlewares in front of a Gatehouse store; used in its drain.
final class HostedMiddlewares<HostAction: Sendable, HostState> {
    /// What the members' actions and state are for the store.
    private let maps: HostMaps<HostAction, HostState>
    /// Carries out the members' requests.
    private let desk: HostDesk<HostAction, HostState>
    /// All members in a row, as one interceptor.
    private let row: AnyInterceptor<HostedAction, State>

    /// Creates a row of middlewares without a store.
    init(_ members: [any Middleware], _ maps: HostMaps<HostAction, HostState>) {
        let desk = HostDesk(maps)
        self.maps = maps
        self.desk = desk
        row = members.map { HostedMember(middleware: $0, api: desk.api).interceptor }.reduce(.identity, <>)
        desk.hosted = self
    }

    /// The row as an interceptor, which owns it.
    var interceptor: AnyInterceptor<HostAction, HostState> {
        AnyInterceptor(
            concerns: { self.maps.action($0) != nil }, enter: { self.enter($0) }, gateChanged: { _ in })
    }

    /// Runs an action of the store through the members.
    private func enter(_ way: Interception<HostAction, HostState>) {
        guard let action = maps.action(way.action) else { return way.onward.pass(nil) }
        desk.meet(way)
        let outer = way.onward
        run(
            action, from: way.dispatcher,
            onward: Onward(
                before: outer, late: { [maps] in $0.flatMap { maps.hostAction($0.action) } }
            ) { [desk, maps] changed in
                if let changed {
                    guard let mapped = maps.hostAction(changed.action) else {
                        return desk.reportStranded(changed.action)
                    }
                    outer.pass(mapped)
                } else {
                    outer.pass(nil)
                }
                desk.lookAtState()
            })
    }

    /// Runs an action that the store does not take through the members alone.
    func runAlone(_ action: any Action, from dispatcher: ActionSource, before outer: Onward<HostAction>) {
        run(
            action, from: dispatcher,
            onward: Onward(before: outer, late: { _ in nil }) { [desk] changed in
                let last = changed?.action ?? action
                // A member may have replaced it by one that the store takes.
                if changed != nil, desk.emit(last, from: dispatcher) { return }
                desk.reportStranded(last)
            })
    }

    /// Runs an action through the members, first to last.
    private func run(_ action: any Action, from dispatcher: ActionSource, onward: Onward<HostedAction>) {
        guard let state = desk.liveState else { return onward.pass(nil) }
        row.enter(
            Interception(
                action: HostedAction(action: action), from: dispatcher, state: OwnState(state),
                output: desk.output, onward: onward))
    }
}
