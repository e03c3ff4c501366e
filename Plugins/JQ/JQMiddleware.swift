// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers an action with the outputs of each rule that hears it, in the order of the rules.
///
/// It evaluates all rules before it emits the first action. It reports a failing rule, and the others still answer.
final class JQMiddleware: MiddlewareProtocol {
    /// The instance and its settings.
    private let context: JQ.Context
    /// The rules, compiled.
    private let rules: JQRules?

    /// Compiles the rules of the settings, which have compiled before.
    init(_ context: JQ.Context) {
        self.context = context
        rules = try? JQRules(context.settings.rules)
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<NoState>
    ) -> IO<AnyAction> {
        var answers: [DispatchedAction<AnyAction>] = []
        // Made for the first rule that hears the action, and shared by the others.
        lazy var input = JQInput(action)
        for (index, rule) in context.settings.rules.enumerated() where rule.when.contains(action.type) {
            do throws(JQFailure) {
                let source = dispatcher.answered(by: context.instance, rule: index, to: action.type)
                let found = try context.rule("/rules/\(index)") { () throws(JQFailure) in
                    try rules?.answers(
                        of: index, to: input, most: context.settings.maximumOutputs,
                        size: context.settings.maximumSize)
                }
                for answer in found ?? [] {
                    let type = answer.type.map { ActionType($0) } ?? rule.emit?.type ?? action.type
                    answers.append(
                        DispatchedAction(
                            AnyAction(type, payload: answer.payload, error: rule.isError),
                            dispatcher: source))
                }
            } catch {
                context.count("failed")
                context.failed(action, "the rule /rules/\(index) emits nothing: \(error.words)")
            }
        }
        guard !answers.isEmpty else { return .pure() }
        return IO { [answers] output in
            for answer in answers { output.dispatch(answer) }
        }
    }
}
