// SPDX-License-Identifier: Apache-2.0

/// Where an instance runs, and which rule of the policy decided it.
package struct PlannedPlacement: Equatable, Sendable {
    /// What the policy decides by.
    package enum Reason: String, Sendable {
        /// Nothing else says it.
        case standard = "default"
        /// The digest of the library is listed.
        case digest
        /// Nobody vouches for the library, and `trust` sends such into workers.
        case unsigned
    }

    /// Where it runs.
    package let place: Placement
    /// What decided it; nil where the entry says it, and in the host where no policy says otherwise.
    package let reason: Reason?

    /// A place, and what decided it.
    package init(_ place: Placement, by reason: Reason? = nil) {
        self.place = place
        self.reason = reason
    }
}

extension PlannedPlacement: CustomStringConvertible {
    /// The place with the reason, as in `in a worker (by default)` or `in the worker shop`.
    package var description: String { words(of: 1) }

    /// The same for several instances, or as a direction: `into a worker (by default)`.
    func words(of count: Int = 1, going: Bool = false) -> String {
        let isOne = count == 1
        let words = (going ? "into " : "in ") + placeWords(isOne)
        switch reason {
        case nil: return words
        case .standard: return "\(words) (by default)"
        case .digest: return "\(words) (\(isOne ? "its digest is" : "their digests are") listed)"
        case .unsigned: return "\(words) (\(isOne ? "its library is" : "their libraries are") not signed)"
        }
    }

    /// The place without a preposition.
    private func placeWords(_ isOne: Bool) -> String {
        switch place {
        case .host: "the host"
        case .worker: isOne ? "a worker" : "workers"
        case .shared(let name): "the worker \(name)"
        }
    }
}
