// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Answers an action with one action for each rule that matches it, in the order of the rules.
///
/// All rules are evaluated before the first action goes out.
struct RulesMiddleware: MiddlewareProtocol {
    /// The rules of the settings, in the order in which they answer.
    let rules: [Rule]
    /// The id of the instance, to be named in sources.
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

    /// The place that dispatched the original, with a line about the rule behind what it says already.
    ///
    /// Of a long trail the first four lines and the last four are kept.
    private func source(of action: AnyAction, _ dispatcher: ActionSource, _ index: Int) -> ActionSource {
        let line = "\(action.type) by \(instance) /rules/\(index)"
        var trail = dispatcher.info?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        if trail.count >= 8 { trail = trail.prefix(4) + ["…"] + trail.suffix(3) }
        return dispatcher.with(info: (trail + [line[...]]).joined(separator: "\n"))
    }
}
