// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Turns the lines of all inputs of a run into actions that may come in, one line at a time. Not thread-safe.
struct ActionTaker: ~Copyable {
    /// What became of a line.
    enum Outcome {
        /// An action that may come in.
        case action(AnyAction)
        /// The line has nothing but white space in it.
        case blank
        /// No action, and why.
        case rejected(ActionRejection)
        /// An action that may not come in, and why.
        case refused(AnyAction, String)
    }

    /// The configuration that says what input may carry.
    let ingress: IngressConfiguration
    /// Takes what is wrong.
    let reports: ReportDesk
    /// Where actions that may not come in are kept, if the configuration asks for it.
    private let letters: DeadLetters?
    /// What the one input may carry whose lines it takes; nil where it takes those of others.
    private let rules: InputRules?
    /// Decides about types that are not the host's; nil where all of them may come in.
    private var admission: Admission?
    /// The parser that reads each line.
    private var parser: ActionParser

    /// Takes what a configuration lets in.
    ///
    /// - Parameters:
    ///   - rules: what the one input may carry that it is for; nil for what all of them may.
    ///   - letters: where actions that may not come in are kept, if the configuration asks for it; nil for nowhere.
    init(
        _ ingress: IngressConfiguration, for rules: InputRules? = nil, reports: ReportDesk,
        letters: DeadLetters? = nil
    ) {
        self.letters = ingress.keep == nil ? nil : letters
        self.rules = rules
        self.ingress = ingress
        self.reports = reports
        parser = ActionParser(wrap: ingress.wrap)
        admission = ingress.admitsAll && rules == nil ? nil : Admission(ingress, rules)
    }

    /// Keeps an action that may not come in, if the configuration asks for it.
    func keep(_ action: AnyAction, from source: ActionSource, because reason: String) {
        letters?.keep(action, from: source, because: reason, by: ingress)
    }

    /// Turns a line into an action, if it is one that may come in.
    ///
    /// Part of the path of each line, as what calls it is: an outcome that is handed back costs more than it is made for.
    @inline(__always)
    mutating func take(_ line: InputLine) -> Outcome {
        switch parser.parse(line) {
        case .action(let action):
            if let reason = admission?.objection(to: action.type) { return .refused(action, reason) }
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
    /// Why input may not carry a type of the host, nil when it may.
    func objection(toHostAction type: ActionType) -> String? {
        guard HostActions.all.contains(type) else {
            // A mistyped name would otherwise pass as an action that nobody hears.
            return Self.unknownHostAction
        }
        return objection(to: type.name)
    }

    /// What is told of a type that looks like one of the host and is none.
    static var unknownHostAction: String {
        "there is no such host action; expected " + Quotation.choice(of: HostActions.all.map(\.name))
    }
}

extension DeadLetters {
    /// Keeps an action that may not come in, if the configuration of the inputs asks for it.
    func keep(
        _ action: AnyAction, from source: ActionSource, because reason: String,
        by ingress: IngressConfiguration
    ) {
        guard let rules = ingress.keep else { return }
        keep(.refusedInput, action, from: source, instance: nil, reason: reason, by: rules)
    }
}
