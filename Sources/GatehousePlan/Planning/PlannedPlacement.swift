// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary

/// Where an instance runs, and which rule of the policy decided it.
package struct PlannedPlacement: Equatable, Sendable {
    /// What decides where the entry does not.
    package enum Reason: String, Sendable {
        /// Nothing else says it.
        case standard = "default"
        /// The digest of the library is listed.
        case digest
        /// Nobody vouches for the library, and `trust` sends such into workers.
        case unsigned
        /// Only a worker of an installed version can load the library, whatever the policy says.
        case version
    }

    /// Where it runs.
    package let place: Placement
    /// What decided it; nil where the entry says it, and in the host where no policy says otherwise.
    package let reason: Reason?
    /// The installed version whose worker it is; nil for one of this host's own, and in the host.
    package let match: VersionMatch?

    /// A place, and what decided it.
    package init(_ place: Placement, by reason: Reason? = nil) {
        self.init(place, by: reason, of: nil)
    }

    /// The same in a worker of an installed version.
    private init(_ place: Placement, by reason: Reason?, of match: VersionMatch?) {
        self.place = place
        self.reason = reason
        self.match = match
    }

    /// Whether it is another process than that of another placement, or another program there, whatever decided it.
    func isElsewhere(than other: PlannedPlacement) -> Bool {
        place != other.place || match?.version != other.match?.version
    }

    /// The same for a library that only a worker of an installed version can load; nil for one of this host's own.
    package func taken(by match: VersionMatch?) -> PlannedPlacement {
        guard let match else { return self }
        return PlannedPlacement(place == .host ? .worker : place, by: .version, of: match)
    }
}

extension PlannedPlacement: CustomStringConvertible {
    /// The place with the reason, as in `in a worker (by default)` or `in the worker shop`.
    package var description: String { words(of: 1) }

    /// The same for several instances, or as a direction: `into a worker (by default)`.
    func words(of count: Int = 1, going: Bool = false) -> String {
        let isOne = count == 1
        let words =
            (going ? "into " : "in ") + placeWords(isOne)
            + (match.map { " of the installed version \($0.version.name)" } ?? "")
        switch reason {
        case .version: return "\(words)\(match.map { " (\($0.reason(ofOne: isOne)))" } ?? "")"
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
