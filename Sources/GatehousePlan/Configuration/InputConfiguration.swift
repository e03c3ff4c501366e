// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// What one input may carry, beside what all of them may.
package struct InputConfiguration: Equatable, Sendable {
    /// The only types that its lines may carry; nil for all that `ingress` lets in.
    package var allow: [TypePattern]?
    /// Types that its lines may not carry, whatever `allow` says.
    var deny: [TypePattern]

    /// Rules of an input; by default none.
    package init(allow: [TypePattern]? = nil, deny: [TypePattern] = []) {
        self.allow = allow
        self.deny = deny
    }

    /// Whether it has no rules.
    package var admitsAll: Bool { allow == nil && deny.isEmpty }

    /// Why the input may not carry a type, nil when it may.
    ///
    /// - Parameter place: where the rules stand, for messages.
    package func objection(to type: String, at place: String) -> String? {
        if let pattern = deny.first(where: { $0.covers(type) }) {
            return "this input may not carry it: \"deny\" of \(place) lists \(Quotation.of("\(pattern)"))"
        }
        return allow?.contains { $0.admits(type) } == false
            ? "this input may not carry it: \"allow\" of \(place) does not list it; add it there" : nil
    }
}

extension InputConfiguration {
    /// The keys of `input`.
    package enum Key: String, CaseIterable {
        case allow, deny
    }

    /// Reads an object of rules; nil, with a report, if it is none.
    package static func read(_ node: LocatedNode) -> InputConfiguration? {
        ObjectReader<Key>(node).map { InputConfiguration(allow: $0[.allow], deny: $0[.deny]) }
    }

    /// Reads rules that stand among other members; nil for those that are not there.
    package init(allow: LocatedNode?, deny: LocatedNode?) {
        self.init(allow: allow.flatMap(Self.readPatterns), deny: deny.flatMap(Self.readPatterns) ?? [])
    }

    /// Reads patterns of any types.
    static func readPatterns(_ node: LocatedNode) -> [TypePattern]? { node.list { $0.pattern() } }
}
