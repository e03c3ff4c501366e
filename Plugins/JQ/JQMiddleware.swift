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
        var input: JQInput?
        for (index, rule) in context.settings.rules.enumerated() where rule.when.contains(action.type) {
            do throws(JQFailure) {
                // Made for the first rule that hears the action, and shared by the others.
                let ready = input ?? JQInput(action)
                input = ready
                let source = source(of: action, dispatcher, index)
                for answer in try self.answers(of: index, to: ready) {
                    let type = answer.type.map { ActionType($0) } ?? rule.emit ?? action.type
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

    /// Returns the answers of one rule, within the limits of the settings.
    private func answers(of index: Int, to input: JQInput) throws(JQFailure) -> [JQRules.Answer] {
        try rules?.answers(
            of: index, to: input, most: context.settings.maximumOutputs, size: context.settings.maximumSize)
            ?? []
    }

    /// Returns the source of the original, with a line about the rule appended.
    ///
    /// Of a long trail it keeps the first four lines and the last four.
    private func source(of action: AnyAction, _ dispatcher: ActionSource, _ index: Int) -> ActionSource {
        let line = "\(action.type) by \(context.instance) /rules/\(index)"
        var trail = dispatcher.info?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        if trail.count >= 8 { trail = trail.prefix(4) + ["…"] + trail.suffix(3) }
        return dispatcher.with(info: (trail + [line[...]]).joined(separator: "\n"))
    }
}
