// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A server's listening address: an address with a port, or the path of a Unix socket.
struct ListenAddress: SettingText {
    static let expected =
        "an address such as \"127.0.0.1:8080\", \"[::1]:8080\" or \"unix:/run/http.sock\""

    /// The parsed address.
    let place: ListeningAddress
    /// The text that the operator wrote.
    let text: String

    /// The default: this machine alone, at port 8080.
    init() { (place, text) = (.port(host: "127.0.0.1", 8080), "127.0.0.1:8080") }

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:0` or `unix:/run/http.sock`; nil for anything else.
    init?(_ text: String) {
        self.text = text
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            place = .path(path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isDigit),
            digits.utf8.count < 5 || digits.utf8.first != UInt8(ascii: "0"), let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            let isAddress = host.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == ":" || $0 == ".") }
            guard isAddress, !host.isEmpty else { return nil }
        } else if host != "localhost" {
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 4, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isDigit) })
            else { return nil }
        }
        place = .port(host: host == "localhost" ? "127.0.0.1" : String(host), port)
    }

    /// Whether only programs of this machine reach it.
    var isLocal: Bool {
        switch place {
        case .port(let host, _): host.hasPrefix("127.") || host == "::1"
        case .path: true
        }
    }

    /// Whether it is the path of a socket.
    var isUnix: Bool { if case .path = place { true } else { false } }

    /// Whether a byte is a decimal digit.
    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
