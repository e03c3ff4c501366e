// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan

/// An input of a run.
package enum Input {
    /// A file or pipe, which ends; the caller closes the descriptor when the run is over. Nil where the process before has it, and hands
    /// over what it has not read to its end.
    case stream(Int32?, name: String)
    /// A socket for any authorized writer; it never ends.
    case listener(ListeningSocket)
    /// A file that others write to and may replace; it never ends.
    case followed(FollowedFile)

    /// Returns the input's own rules and their place in the configuration; nil where it has none.
    package func rules(in ingress: IngressConfiguration) -> InputRules? {
        let (rules, place) =
            switch self {
            case .stream: (ingress.input, "\"ingress\"/\"input\"")
            case .listener(let socket): (socket.rules, "\"ingress\"/\"listen\" for \(socket.name)")
            case .followed(let file): (file.rules, "\"ingress\"/\"tail\" for \(file.name)")
            }
        return rules.admitsAll ? nil : InputRules(rules: rules, place: place)
    }
}

/// The rules of one input, with their place in the configuration.
package struct InputRules: Sendable {
    /// The rules.
    package let rules: InputConfiguration
    /// The place in the configuration, for messages.
    package let place: String

    /// Returns why the input may not carry a type; nil when it may.
    package func objection(to type: String) -> String? { rules.objection(to: type, at: place) }
}
