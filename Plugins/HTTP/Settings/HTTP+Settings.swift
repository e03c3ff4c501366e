// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension HTTP {
    /// What an operator may set.
    struct Settings: PluginSettings {
        /// Where it listens.
        var listen = ListenAddress()
        /// The file of the token that who changes something has to show; empty for none, and then nobody can.
        var tokenFile = ""
        /// Who may look at the host without the token.
        var reading = Reading.open
        /// Names by which browsers and senders call the server, beside its addresses and `localhost`.
        var hosts: [String] = []
        /// The types that `POST /actions` may bring, of those that the host lets in.
        var allow = [ActionTypePattern.all]
        /// The longest body of a request, in bytes.
        var maximumBody = Bounded<BodyRange>(8 << 20)
        /// The most connections at once.
        var maximumConnections = Bounded<ConnectionRange>(1_024)
        /// Senders of webhooks by the names in their paths.
        var hooks: [String: Hook] = [:]
    }

    /// Who may look at the host.
    enum Reading: String, Codable, Sendable {
        /// Whoever reaches the server.
        case open
        /// Who shows the token.
        case token
    }
}

/// Which numbers a setting takes.
protocol SettingRange: Sendable {
    /// The range.
    static var range: ClosedRange<Int> { get }
}

/// Lengths of bodies, from 1 KiB to 256 MiB.
enum BodyRange: SettingRange { static let range = 1_024...268_435_456 }

/// Numbers of connections.
enum ConnectionRange: SettingRange { static let range = 1...65_536 }

/// A whole number within a range; any other is an error with its place.
struct Bounded<Range: SettingRange>: Codable, Sendable {
    /// The number.
    let number: Int

    /// A number that is known to be within the range.
    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws {
        number = try decoder.singleValueContainer().decode(Int.self)
        guard Range.range.contains(number) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "\(Range.range.lowerBound) to \(Range.range.upperBound)",
                found: String(number))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}
