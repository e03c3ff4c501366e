// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Which types an input may carry, decided once for each type. Not thread-safe.
struct Admission {
    /// What was decided about the type that had a place last.
    private struct Decision {
        /// The type that was decided about.
        let type: ActionType
        /// Why it may not come in, nil when it may.
        let objection: String?
    }

    /// The lists that the operator wrote.
    private let ingress: IngressConfiguration
    /// Those that are about one input; nil where it is not about one.
    private let rules: InputRules?
    /// Decisions by the places of their types; as many as there are names in use at most.
    private var decisions: [Decision?] = []

    /// Decides by the lists of a configuration.
    init(_ ingress: IngressConfiguration, _ rules: InputRules? = nil) {
        self.ingress = ingress
        self.rules = rules
    }

    /// Why input may not carry a type, nil when it may. Constant time, except for the first line with each type.
    mutating func objection(to type: ActionType) -> String? {
        let place = type.place
        if place < decisions.count, let decision = decisions[place], decision.type == type {
            return decision.objection
        }
        return decide(type, at: place)
    }

    /// Decides about a type by going through the lists.
    private mutating func decide(_ type: ActionType, at place: Int) -> String? {
        if place >= decisions.count {
            let count = max(place + 1, decisions.count * 2, 64)
            decisions += repeatElement(nil, count: count - decisions.count)
        }
        let objection = ingress.objection(to: type.name) ?? rules?.objection(to: type.name)
        decisions[place] = Decision(type: type, objection: objection)
        return objection
    }
}
