// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseSupport
import Testing

@testable import GatehousePlan

/// Connections that an entry grants.
@Suite(.timeLimit(.minutes(10))) struct ConnectionGrantTests {
    /// What is told about an array of grants, without its place.
    private func problems(_ grants: String) -> [String] {
        let text =
            #"{ "plugins": [{ "id": "a", "placement": "worker", "grant": { "network": \#(grants) } }] }"#
        let parsed = ConfigurationParser.parse(Array(text.utf8), file: "plugins.json")
        return parsed.diagnostics.all.map { "\($0)".replacing(#/plugins.json:1:[0-9]+: /#, with: "") }
    }

    @Test(
        arguments: [
            ("connect:api.example.com:443", "api.example.com", 443),
            ("connect:API.Example.com:1", "api.example.com", 1),
            ("connect:127.0.0.1:65535", "127.0.0.1", 65_535), ("connect:[::1]:80", "::1", 80),
            ("connect:[FE80::1]:80", "fe80::1", 80), ("connect:a_b-c:80", "a_b-c", 80),
        ] as [(String, String, UInt16)])
    func `a grant names a host in any case, and a port`(text: String, host: String, port: UInt16) {
        let grant = ConnectionGrant(text)
        #expect(grant?.host == host)
        #expect(grant?.port == port)
        #expect(grant?.text == text.lowercased())
        #expect(grant.flatMap { ConnectionGrant($0.text) } == grant)
    }

    @Test(arguments: [
        "", "connect", "connect:", "connect:a", "connect::80", "connect:a:", "connect:a:0", "connect:a:65536",
        "connect:a:080", "connect:a:+80", "connect:a: 80", "connect:a:-1", "connect:a:8o", "connect:a:٨",
        "connect:::1:80", "connect:[]:80", "connect:[a]:80", "connect:[::1:80", "connect:::1]:80",
        "connect:[::g]:80", "connect:[::1]", "connect:a b:80", "connect:a/b:80", "connect:a\0:80",
        "connect:ä:80", "connect:*:80", "connect:a:b:80", "listen:127.0.0.1:80", "CONNECT:a:80",
        "connect:" + String(repeating: "a", count: 254) + ":80",
    ])
    func `a text that is no grant is none`(text: String) {
        #expect(ConnectionGrant(text) == nil)
    }

    @Test func `what is no grant is refused at its place, with the form of one`() {
        #expect(problems(#"["connect:a:80", "connect:[::1]:80"]"#) == [])
        #expect(
            problems(#"["connect:a:80", "a:80", 7]"#) == [
                #"/plugins/0/grant/network/1: expected "connect:HOST:PORT" or "listen:ADDRESS:PORT", found "a:80"; write a name or an address, one of IPv6 in brackets, and a port, as in "connect:api.example.com:443""#,
                #"/plugins/0/grant/network/2: expected a string, found 7; put the text in double quotes"#,
            ])
        #expect(
            problems(#""connect:a:80""#) == [
                #"/plugins/0/grant/network: expected an array of strings, found "connect:a:80"; write ["…"]"#
            ])
    }

    @Test func `what is not granted is told with the grant to add`() {
        let refusal = ConnectionGrant(host: "API.example.com", port: 443).refusal(for: "mail")
        #expect(refusal.reason == .notGranted)
        #expect(
            refusal.sentence
                == #"the entry of mail does not grant connections to api.example.com:443; add "connect:api.example.com:443" to its "grant"/"network""#
        )
    }
}
