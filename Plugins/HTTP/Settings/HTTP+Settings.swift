// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension HTTP {
    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// Lengths of bodies, from 1 KiB to 256 MiB.
        enum BodyRange: SettingRange { static let range = 1_024...268_435_456 }
        /// Numbers of connections.
        enum ConnectionRange: SettingRange { static let range = 1...65_536 }

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
        @Bounded<BodyRange> var maximumBody = 8 << 20
        /// The most connections at once.
        @Bounded<ConnectionRange> var maximumConnections = 1_024
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
