// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers an action with one action for each rule that matches it, in the order of the rules.
///
/// It evaluates all rules before it emits the first action.
struct RulesMiddleware: MiddlewareProtocol {
    /// The rules of the settings, in the order in which they answer.
    let rules: [Rule]
    /// The id of the instance, for sources.
    let instance: String

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<AnyAction> {
        var answers: [DispatchedAction<AnyAction>] = []
        for (index, rule) in rules.enumerated() where rule.matches(action) {
            answers.append(
                DispatchedAction(
                    rule.answer(to: action),
                    dispatcher: dispatcher.answered(by: instance, rule: index, to: action.type)))
        }
        guard !answers.isEmpty else { return .pure() }
        return IO { [answers] output in
            for answer in answers { output.dispatch(answer) }
        }
    }
}
