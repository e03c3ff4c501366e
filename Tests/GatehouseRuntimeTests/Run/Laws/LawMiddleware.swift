// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Logs what it sees, and answers by IO as its script says.
struct LawMiddleware: MiddlewareProtocol {
    typealias Action = LawPlugin.Action

    let settings: LawPlugin.Settings
    let log: LawLog

    func handle(
        action: Action, from dispatcher: ActionSource, state: GetState<LawPlugin.State>
    ) -> IO<Action> {
        log.note("\(settings.id) handles \(action) seeing \(state())")
        let outputs = LawPlugin.outputs(settings.rule(for: action).emits, of: action)
        return IO { output in
            log.note("\(settings.id) answers \(action) seeing \(state())")
            for action in outputs {
                log.note("\(settings.id) emits \(action)")
                output.dispatch(action)
            }
        }
    }

    func start(state: GetState<LawPlugin.State>) -> IO<Action> {
        log.note("\(settings.id) starts seeing \(state())")
        return IO { _ in log.note("\(settings.id) has started") }
    }

    func gateChanged(to gate: GateState) { log.note("\(settings.id) gate \(gate)") }
}
