// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
internal import GatehouseSupport

/// A socket at which the host lets an instance in a worker listen: `listen:ADDRESS:PORT`.
package struct ListeningGrant: Hashable, Sendable {
    /// The address as the system writes it, and the port.
    package let address: ListeningAddress

    /// The first word of the text.
    static let word = "listen:"

    /// A grant for an address; nil for a path, for a host that is no number, and for a port that the system would choose.
    package init?(_ address: ListeningAddress) {
        guard case .port(let host, let port)? = address.canonical, port > 0 else { return nil }
        self.address = .port(host: host, port)
    }

    /// Reads the text of a grant; nil for any other text.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.word) else { return nil }
        self.init(place: text.dropFirst(Self.word.count))
    }

    /// Reads an address with a port, as `ListeningAddress` writes them; nil for anything else.
    init?(place: some StringProtocol) {
        guard let colon = place.lastIndex(of: ":") else { return nil }
        let digits = place[place.index(after: colon)...]
        var host = place[..<colon]
        let isBracketed = host.first == "[" && host.last == "]"
        if isBracketed { host = host.dropFirst().dropLast() }
        guard isBracketed == host.contains(":"), !host.utf8.contains(0), let port = UInt16(digits),
            "\(port)" == digits
        else { return nil }
        self.init(.port(host: String(host), port))
    }

    /// The text in an entry.
    package var text: String { "\(Self.word)\(address)" }

    /// Why an instance without a grant for an address does not listen there, as a sentence for its operator.
    package static func refusal(of address: ListeningAddress, for instance: String) -> ListeningFailure {
        guard let grant = ListeningGrant(address) else {
            return ListeningFailure(
                "\(Quotation.bare("\(address)")): a worker listens nowhere but at an address in numbers with a port from 1 to 65535; let \(instance) listen at one, or run it in the host"
            )
        }
        return ListeningFailure(
            "\(grant.address): the entry of \(instance) does not let it listen there; add \(Quotation.of(grant.text)) to its \"grant\"/\"network\""
        )
    }
}
