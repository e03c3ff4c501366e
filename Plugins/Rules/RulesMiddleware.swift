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
                DispatchedAction(rule.answer(to: action), dispatcher: source(of: action, dispatcher, index)))
        }
        guard !answers.isEmpty else { return .pure() }
        return IO { [answers] output in
            for answer in answers { output.dispatch(answer) }
        }
    }

    /// Returns the source of the original, with a line about the rule appended.
    ///
    /// Of a long trail it keeps the first four lines and the last four.
    private func source(of action: AnyAction, _ dispatcher: ActionSource, _ index: Int) -> ActionSource {
        let line = "\(action.type) by \(instance) /rules/\(index)"
        var trail = dispatcher.info?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        if trail.count >= 8 { trail = trail.prefix(4) + ["…"] + trail.suffix(3) }
        return dispatcher.with(info: (trail + [line[...]]).joined(separator: "\n"))
    }
}
