// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension HTTP {
    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The address to listen at.
        var listen = ListenAddress()
        /// The file of the token required for changes; empty for none, and then nobody can change anything.
        var tokenFile = ""
        /// Who may look at the host without the token.
        var reading = Reading.open
        /// Names of the server for browsers and senders, beside its addresses and `localhost`.
        var hosts: [String] = []
        /// The types that `POST /actions` may bring, among those that the host lets in.
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
        /// Every client that reaches the server.
        case open
        /// Clients with the token.
        case token
    }
}

/// The range of a setting.
protocol SettingRange: Sendable {
    /// The range.
    static var range: ClosedRange<Int> { get }
}

/// Lengths of bodies, from 1 KiB to 256 MiB.
enum BodyRange: SettingRange { static let range = 1_024...268_435_456 }

/// Numbers of connections.
enum ConnectionRange: SettingRange { static let range = 1...65_536 }

/// A whole number within a range; throws an error with its place for any other.
struct Bounded<Range: SettingRange>: Codable, Sendable {
    /// The number.
    let number: Int

    /// Creates a number, unchecked, that must be within the range.
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
