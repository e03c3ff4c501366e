// SPDX-License-Identifier: Apache-2.0

/// Something that a run reads lines from.
public enum Input {
    /// A file or pipe, which ends; the descriptor is the caller's to close when the run is over.
    case stream(Int32, name: String)
    /// A socket that anybody with the right to may connect to; it never ends.
    case listener(ListeningSocket)
    /// A file that others write to, also when it is replaced; it never ends.
    case followed(FollowedFile)

    /// What it may carry beside what all inputs may, and where the configuration says so; nil where it says nothing.
    func rules(in ingress: IngressConfiguration) -> InputRules? {
        let (rules, place) =
            switch self {
            case .stream: (ingress.input, "\"ingress\"/\"input\"")
            case .listener(let socket): (socket.rules, "\"ingress\"/\"listen\" for \(socket.name)")
            case .followed(let file): (file.rules, "\"ingress\"/\"tail\" for \(file.name)")
            }
        return rules.admitsAll ? nil : InputRules(rules: rules, place: place)
    }
}

/// What one input may carry, with the place where that is said.
struct InputRules: Sendable {
    /// The rules.
    let rules: InputConfiguration
    /// Where they stand, for messages.
    let place: String

    /// Why the input may not carry a type, nil when it may.
    func objection(to type: String) -> String? { rules.objection(to: type, at: place) }
}
