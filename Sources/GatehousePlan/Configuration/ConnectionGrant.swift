// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
internal import GatehouseSupport

/// A kind of connection that the host makes for an instance in a worker: `connect:HOST:PORT`.
package struct ConnectionGrant: Hashable, Sendable {
    /// The name or the address, in lower case and without brackets.
    package let host: String
    /// The port.
    package let port: UInt16

    /// Wraps a host, in any case and without brackets, and a port.
    package init(host: String, port: UInt16) {
        self.host = host.lowercased()
        self.port = port
    }

    /// The first word of the text.
    private static let word = "connect:"
    /// The longest name of a host, in bytes.
    private static let longestName = 253

    /// Reads the text of a grant; nil for any other text.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.word), let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        var host = text[..<colon].dropFirst(Self.word.count)
        let isBracketed = host.first == "[" && host.last == "]"
        if isBracketed { host = host.dropFirst().dropLast() }
        let isFit = host.unicodeScalars.allSatisfy { scalar in
            isBracketed
                ? scalar.properties.isASCIIHexDigit || ":.".unicodeScalars.contains(scalar)
                : scalar.isASCII && scalar.properties.isAlphabetic || "0"..."9" ~= scalar
                    || "-._".unicodeScalars.contains(scalar)
        }
        guard isFit, (1...Self.longestName).contains(host.utf8.count), !isBracketed || host.contains(":"),
            let port = UInt16(digits), port > 0, "\(port)" == digits
        else { return nil }
        self.init(host: String(host), port: port)
    }

    /// Host and port, as in a URL.
    package var place: String { ListeningAddress.port(host: host, port).description }
    /// The text in an entry.
    package var text: String { Self.word + place }

    /// Why an instance that has no such grant gets no connection, as a sentence for its operator.
    package func refusal(for instance: String) -> ConnectionFailure {
        ConnectionFailure(
            .notGranted,
            "the entry of \(instance) does not grant connections to \(place); add \(Quotation.of(text)) to its \"grant\"/\"network\""
        )
    }
}
