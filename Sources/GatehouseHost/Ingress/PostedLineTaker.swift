// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Turns the lines that instances bring into actions that may come in; belongs to the thread that reads.
final class PostedLineTaker {
    /// Decides about types that are not the host's; nil where all of them may come in.
    private var admission: Admission?
    /// The parser that reads each line.
    private var parser = ActionParser()

    /// Takes what a configuration lets in; what it says about wrapped lines is about files and sockets.
    init(_ ingress: IngressConfiguration) {
        admission = ingress.admitsAll ? nil : Admission(ingress)
    }

    /// Turns a line into an action, if it is one that may come in.
    ///
    /// - Parameter instance: who brings it, for messages.
    /// - Parameter mayBring: whether the instance may bring an action of the host with this name.
    func take(_ line: InputLine, for instance: String, mayBring: (String) -> Bool) -> ActionTaker.Outcome {
        switch parser.parse(line) {
        case .action(let action):
            if let reason = admission?.objection(to: action.type) { return .refused(action, reason) }
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
