// SPDX-License-Identifier: Apache-2.0

/// What the host does for an instance in a worker, which has no network of its own.
package enum NetworkGrant: Hashable, Sendable {
    /// Makes connections: `connect:HOST:PORT`.
    case connection(ConnectionGrant)
    /// Listens: `listen:ADDRESS:PORT`.
    case listener(ListeningGrant)

    /// Reads the text of a grant; nil for any other text.
    package init?(_ text: String) {
        if let grant = ConnectionGrant(text) {
            self = .connection(grant)
        } else if let grant = ListeningGrant(text) {
            self = .listener(grant)
        } else {
            return nil
        }
    }

    /// The text in an entry.
    package var text: String {
        switch self {
        case .connection(let grant): grant.text
        case .listener(let grant): grant.text
        }
    }
}
