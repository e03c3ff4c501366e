// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport

/// Turns the lines of all inputs of a run into admitted actions, one line at a time; not thread-safe.
package struct ActionTaker: ~Copyable {
    /// The configuration of the inputs.
    package let ingress: IngressConfiguration
    /// Receives reports of problems.
    package let reports: Reporter
    /// Keeps refused actions, if the configuration asks for it.
    private let letters: DeadLetters?
    /// Decides about the types.
    private var types: AdmittedTypes
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
        self.ingress = ingress
        self.reports = reports
        parser = ActionParser(wrap: ingress.wrap)
        types = AdmittedTypes(ingress, rules)
    }

    /// Keeps a refused action, if the configuration asks for it.
    package func keep(_ action: AnyAction, from source: ActionSource, because reason: String) {
        letters?.keep(action, from: source, because: reason, by: ingress)
    }

    /// Turns a line into an action, if it is admitted.
    ///
    /// Inlined along the path of each line, where nearly all outcomes are returned as they are.
    @inline(__always)
    package mutating func take(_ line: InputLine) -> ActionLineOutcome {
        let outcome = parser.parse(line)
        if types.admitsAll, case .action = outcome { return outcome }
        return admitted(outcome)
    }

    /// Refuses what the outcome for a line may not bring.
    @inline(never)
    private mutating func admitted(_ outcome: ActionLineOutcome) -> ActionLineOutcome {
        switch outcome {
        case .action(let action):
            types.objection(to: action.type).map { .refused(action, $0) } ?? outcome
        case .hostAction(let action):
            types.objection(toHostAction: action.type).map { .refused(action, $0) } ?? outcome
        case .blank, .rejected, .refused: outcome
        }
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

/// Decides which types an input may carry, once for each type; not thread-safe.
struct AdmittedTypes {
    /// Whether all types but the host's are admitted.
    let admitsAll: Bool
    /// The operator's lists.
    private let ingress: IngressConfiguration
    /// The rules of one input; nil for all inputs.
    private let rules: InputRules?
    /// Why types are refused; nil for those that are admitted.
    private var decisions = TypeTable<String?>()

    /// Creates a decision by the lists of a configuration.
    init(_ ingress: IngressConfiguration, _ rules: InputRules? = nil) {
        self.ingress = ingress
        self.rules = rules
        admitsAll = ingress.admitsAll && rules == nil
    }

    /// Returns why input may not carry a type, nil if it may; constant time, except for a type's first line.
    mutating func objection(to type: ActionType) -> String? {
        if admitsAll { return nil }
        if let known = decisions[type] { return known }
        let objection = lists(refuse: type.name)
        decisions[type] = .some(objection)
        return objection
    }

    /// Returns why input may not carry a type of the host; nil when it may.
    func objection(toHostAction type: ActionType) -> String? {
        Self.objection(toUnknown: type) ?? lists(refuse: type.name)
    }

    /// Returns why nobody may bring a type with the prefix of the host's: a mistyped name would otherwise pass as an action without
    /// listeners. Nil for a type of the host.
    static func objection(toUnknown type: ActionType) -> String? {
        HostActions.all.contains(type)
            ? nil
            : "there is no such host action; expected " + Quotation.choice(of: HostActions.all.map(\.name))
    }

    /// Searches the lists for a name.
    private func lists(refuse name: String) -> String? {
        ingress.objection(to: name) ?? rules?.objection(to: name)
    }
}

/// Turns lines posted by instances into admitted actions; belongs to the thread that reads.
package final class PostedLineTaker {
    /// Decides about types other than the host's.
    private var types: AdmittedTypes
    /// Parses the lines.
    private var parser = ActionParser()

    /// Creates a taker by the rules of a configuration; those on wrapped lines are for files and sockets.
    package init(_ ingress: IngressConfiguration) { types = AdmittedTypes(ingress) }

    /// Turns a line into an action, if it is admitted.
    ///
    /// - Parameter instance: the posting instance, for messages.
    /// - Parameter mayBring: whether the instance may post an action of the host with this name.
    package func take(_ line: InputLine, for instance: String, mayBring: (String) -> Bool)
        -> ActionLineOutcome
    {
        let outcome = parser.parse(line)
        switch outcome {
        case .action(let action):
            return types.objection(to: action.type).map { .refused(action, $0) } ?? outcome
        case .hostAction(let action):
            if let reason = AdmittedTypes.objection(toUnknown: action.type) {
                return .refused(action, reason)
            }
            if mayBring(action.type.name) { return outcome }
            return .refused(
                action, "it belongs to the host; let the instance \(instance) send it by \"allow\"")
        case .blank, .rejected, .refused: return outcome
        }
    }
}
