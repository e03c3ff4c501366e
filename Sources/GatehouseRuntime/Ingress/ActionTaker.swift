// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport

/// Turns the lines of all inputs of a run into admitted actions, one line at a time; not thread-safe.
package struct ActionTaker: ~Copyable {
    /// The outcome for a line.
    package enum Outcome {
        /// An admitted action.
        case action(AnyAction)
        /// The line holds only white space.
        case blank
        /// The line is not an action, for this reason.
        case rejected(ActionRejection)
        /// An action that is not admitted, and why.
        case refused(AnyAction, String)
    }

    /// The configuration of the inputs.
    package let ingress: IngressConfiguration
    /// Receives reports of problems.
    package let reports: Reporter
    /// Keeps refused actions, if the configuration asks for it.
    private let letters: DeadLetters?
    /// The rules of a single input; nil for lines of several inputs.
    private let rules: InputRules?
    /// Decides about types other than the host's; nil where all are admitted.
    private var types: AdmittedTypes?
    /// Parses the lines.
    private var parser: ActionParser

    /// Creates a taker by the rules of a configuration.
    ///
    /// - Parameters:
    ///   - rules: the rules of a single input; nil for those of all inputs.
    ///   - letters: keeps refused actions, if the configuration asks for it; nil to drop them.
    package init(
        _ ingress: IngressConfiguration, for rules: InputRules? = nil, reports: Reporter,
        letters: DeadLetters? = nil
    ) {
        self.letters = ingress.keep == nil ? nil : letters
        self.rules = rules
        self.ingress = ingress
        self.reports = reports
        parser = ActionParser(wrap: ingress.wrap)
        types = ingress.admitsAll && rules == nil ? nil : AdmittedTypes(ingress, rules)
    }

    /// Keeps a refused action, if the configuration asks for it.
    package func keep(_ action: AnyAction, from source: ActionSource, because reason: String) {
        letters?.keep(action, from: source, because: reason, by: ingress)
    }

    /// Turns a line into an action, if it is admitted.
    ///
    /// Inlined along the path of each line: returning an outcome costs more than making it.
    @inline(__always)
    package mutating func take(_ line: InputLine) -> Outcome {
        switch parser.parse(line) {
        case .action(let action):
            if let reason = types?.objection(to: action.type) { return .refused(action, reason) }
            return .action(action)
        case .hostAction(let action):
            if let reason = ingress.objection(toHostAction: action.type)
                ?? rules?.objection(to: action.type.name)
            {
                return .refused(action, reason)
            }
            return .action(action)
        case .blank: return .blank
        case .rejected(let rejection): return .rejected(rejection)
        }
    }
}

extension IngressConfiguration {
    /// Returns why input may not carry a type of the host; nil when it may.
    package func objection(toHostAction type: ActionType) -> String? {
        guard HostActions.all.contains(type) else {
            // A mistyped name would otherwise pass as an action without listeners.
            return Self.unknownHostAction
        }
        return objection(to: type.name)
    }

    /// The refusal of an unknown type with the prefix of the host's.
    static var unknownHostAction: String {
        "there is no such host action; expected " + Quotation.choice(of: HostActions.all.map(\.name))
    }
}

extension DeadLetters {
    /// Keeps a refused action, if the configuration of the inputs asks for it.
    package func keep(
        _ action: AnyAction, from source: ActionSource, because reason: String,
        by ingress: IngressConfiguration
    ) {
        guard let rules = ingress.keep else { return }
        keep(.refusedInput, action, from: source, instance: nil, reason: reason, by: rules)
    }
}
