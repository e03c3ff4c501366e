// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers an action with one action for each rule that matches it, in the order of the rules.
///
/// It evaluates all rules before it emits the first action.
struct RulesMiddleware: MiddlewareProtocol {
    /// The settings with the rules, in the order in which they answer, and the host's services.
    private let context: Rules.Context

    /// A middleware with the rules of the settings.
    init(_ context: Rules.Context) { self.context = context }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<AnyAction> {
        var answers: [DispatchedAction<AnyAction>] = []
        for (index, rule) in context.settings.rules.enumerated() {
            context.rule("/rules/\(index)") {
                guard rule.matches(action) else { return }
                answers.append(
                    DispatchedAction(
                        rule.answer(to: action),
                        dispatcher: dispatcher.answered(by: context.instance, rule: index, to: action.type)))
            }
        }
        guard !answers.isEmpty else { return .pure() }
        return IO { [answers] output in
            for answer in answers { output.dispatch(answer) }
        }
    }
}
