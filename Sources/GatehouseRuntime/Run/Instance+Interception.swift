// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehousePlan
package import GatehouseSDK

// What its interceptor decides about.
extension Instance {
    /// Whether it decides about actions.
    package var intercepts: Bool { interceptor != nil || standing?.stopsActions == true }

    /// Shows an action to the gate and, under its local type, to the plugin's interceptor.
    ///
    /// What the interceptor lets pass goes on under its global type; the type that it heard needs no permission.
    package func intercept(
        _ action: AnyAction, at stop: Route.Stop, from dispatcher: ActionSource, _ outer: Onward<AnyAction>
    ) {
        guard let interceptor else { return stand(before: action, at: stop, from: dispatcher, outer) }
        guard lets(action, pass: stop), let local = stop.local else { return outer.pass(nil) }
        let heard = action.type
        var isStopped = true
        stoppedActions += 1
        let dropped = followsStops ? noteStop(of: action, from: dispatcher) : nil
        let onward = Onward<AnyAction>(
            before: outer, late: { $0.map { $0.type == local ? $0.renamed(heard) : $0 } }
        ) { [self] changed in
            if isStopped {
                isStopped = false
                stoppedActions -= 1
                dropped?.isPassed = true
            }
            guard let changed else { return outer.pass(nil) }
            if changed.type == local { return outer.pass(changed.renamed(heard)) }
            if let allowed = outlet.lifted(changed, from: dispatcher) { outer.pass(allowed) }
        }
        interceptor.enter(
            Interception(
                action: action.renamed(local), from: dispatcher, state: own ?? OwnState(state),
                output: output,
                onward: onward))
    }

    /// Takes note of an action that the interceptor lets go of without having let it pass, for the entry that keeps such actions and for
    /// those who watch.
    private func noteStop(of action: AnyAction, from dispatcher: ActionSource) -> DroppedAction {
        DroppedAction { [letters, id, onStop, rules = planned.entry.keep] in
            let reason = "its interceptor stopped it"
            if let rules {
                letters?.keep(
                    .stopped, action, from: dispatcher, instance: id, reason: reason, by: rules)
            }
            onStop?(TurnedAwayAction(stopped: action, from: dispatcher, by: id, because: reason))
        }
    }

    /// Keeps an action that came to nothing here, if the entry asks for it.
    package func keep(
        _ kind: DeadLetter.Kind, _ action: AnyAction, from dispatcher: ActionSource, because reason: String
    ) {
        guard let rules = planned.entry.keep else { return }
        letters?.keep(kind, action, from: dispatcher, instance: id, reason: reason, by: rules)
    }

    /// Stops an action that the interceptor of a library in quarantine would have decided about, and keeps it as a dead letter.
    private func stand(
        before action: AnyAction, at stop: Route.Stop, from dispatcher: ActionSource,
        _ outer: Onward<AnyAction>
    ) {
        guard let standing, lets(action, pass: stop), stop.local != nil else { return outer.pass(nil) }
        stoppedActions += 1
        standing.stop(action, from: dispatcher)
        onStop?(
            TurnedAwayAction(
                stopped: action, from: dispatcher, by: id,
                because: "its plugin is in quarantine and would have decided about it"))
    }
}
