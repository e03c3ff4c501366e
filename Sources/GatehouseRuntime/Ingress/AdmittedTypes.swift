// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK

/// Decides which types an input may carry, once for each type; not thread-safe.
struct AdmittedTypes {
    /// The decision about the type that last had a place.
    private struct Decision {
        /// The type.
        let type: ActionType
        /// Why it is refused; nil when it is admitted.
        let objection: String?
    }

    /// The operator's lists.
    private let ingress: IngressConfiguration
    /// The rules of one input; nil for all inputs.
    private let rules: InputRules?
    /// Decisions by the places of their types; at most as many as there are names in use.
    private var decisions: [Decision?] = []

    /// Creates a decision by the lists of a configuration.
    init(_ ingress: IngressConfiguration, _ rules: InputRules? = nil) {
        self.ingress = ingress
        self.rules = rules
    }

    /// Returns why input may not carry a type, nil if it may; constant time, except for a type's first line.
    mutating func objection(to type: ActionType) -> String? {
        let place = type.place
        if place < decisions.count, let decision = decisions[place], decision.type == type {
            return decision.objection
        }
        return decide(type, at: place)
    }

    /// Decides about a type by searching the lists.
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
