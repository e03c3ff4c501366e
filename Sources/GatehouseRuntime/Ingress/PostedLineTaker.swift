// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
internal import GatehouseSDK

/// Turns lines posted by instances into admitted actions; belongs to the thread that reads.
package final class PostedLineTaker {
    /// Decides about types other than the host's; nil where all are admitted.
    private var types: AdmittedTypes?
    /// Parses the lines.
    private var parser = ActionParser()

    /// Creates a taker by the rules of a configuration; those on wrapped lines are for files and sockets.
    package init(_ ingress: IngressConfiguration) {
        types = ingress.admitsAll ? nil : AdmittedTypes(ingress)
    }

    /// Turns a line into an action, if it is admitted.
    ///
    /// - Parameter instance: the posting instance, for messages.
    /// - Parameter mayBring: whether the instance may post an action of the host with this name.
    package func take(_ line: InputLine, for instance: String, mayBring: (String) -> Bool)
        -> ActionTaker.Outcome
    {
        switch parser.parse(line) {
        case .action(let action):
            if let reason = types?.objection(to: action.type) { return .refused(action, reason) }
            return .action(action)
        case .hostAction(let action):
            guard HostActions.all.contains(action.type) else {
                return .refused(action, IngressConfiguration.unknownHostAction)
            }
            return mayBring(action.type.name)
                ? .action(action)
                : .refused(
                    action,
                    "it belongs to the host; let the instance \(instance) send it by \"allow\"")
        case .blank: return .blank
        case .rejected(let rejection): return .rejected(rejection)
        }
    }
}
