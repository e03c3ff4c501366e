// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSupport
import GatehouseValue
import Testing

@testable import GatehousePlan

/// The texts that let an instance in a worker listen.
@Suite(.timeLimit(.minutes(10))) struct ListeningGrantTests {
    /// What is told about a list of network grants, without the place in the line.
    private func problems(_ grants: String) -> [String] {
        let text = #"{ "plugins": [{ "id": "a", "grant": { "network": \#(grants) } }] }"#
        let parsed = ConfigurationParser.parse(Array(text.utf8), file: "plugins.json")
        return parsed.diagnostics.all.map { "\($0)".replacing(#/plugins.json:1:[0-9]+: /#, with: "") }
    }

    @Test(
        arguments: [
            ("127.0.0.1:1", "127.0.0.1:1"), ("0.0.0.0:65535", "0.0.0.0:65535"), ("[::1]:80", "[::1]:80"),
            ("[::]:80", "[::]:80"), ("[0:0:0:0:0:0:0:1]:80", "[::1]:80"), ("[FE80::A]:80", "[fe80::a]:80"),
            ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80"),
        ])
    func `a grant names an address in numbers, in any of its forms, and a port`(text: String, place: String) {
        let grant = ListeningGrant("listen:" + text)
        #expect(grant?.address.description == place)
        #expect(grant?.text == "listen:" + place)
        #expect(NetworkGrant("listen:" + text)?.text == "listen:" + place)
    }

    @Test(arguments: [
        "", "listen", "listen:", "listen:80", "listen::80", "listen:127.0.0.1", "listen:127.0.0.1:",
        "listen:127.0.0.1:0", "listen:127.0.0.1:65536", "listen:127.0.0.1:080", "listen:127.0.0.1:+80",
        "listen:127.0.0.1: 80", "listen:127.0.0.1:8o", "listen:127.0.0.1:٨", "listen:127.0.0:80",
        "listen:127.0.0.256:80", "listen:127.0.0.01:80", "listen:localhost:80", "listen:a.example:80",
        "listen:*:80", "listen:::1:80", "listen:[]:80", "listen:[127.0.0.1]:80", "listen:[::1:80",
        "listen:[::g]:80", "listen:[::1%lo]:80", "listen:unix:/run/a.sock", "listen:127.0.0.1\0:80",
        "LISTEN:127.0.0.1:80", "listen: 127.0.0.1:80", "connect:127.0.0.1:80",
    ])
    func `a text that is no grant is none`(text: String) {
        #expect(ListeningGrant(text) == nil)
    }

    @Test func `what is no grant is refused at its place, with the form of one`() {
        #expect(problems(#"["listen:127.0.0.1:80", "listen:[::1]:80", "connect:a:80"]"#) == [])
        #expect(
            problems(#"["listen:localhost:80", "listens:127.0.0.1:80"]"#) == [
                #"/plugins/0/grant/network/0: expected "listen:ADDRESS:PORT", found "listen:localhost:80"; write an address of this machine in numbers, one of IPv6 in brackets, and a port from 1 to 65535, as in "listen:127.0.0.1:8080""#,
                #"/plugins/0/grant/network/1: expected "connect:HOST:PORT" or "listen:ADDRESS:PORT", found "listens:127.0.0.1:80"; write a name or an address, one of IPv6 in brackets, and a port, as in "connect:api.example.com:443""#,
            ])
    }

    @Test func `what is not granted is told with the grant to add, and what cannot be granted with what can`()
    {
        #expect(
            ListeningGrant.refusal(of: .port(host: "0:0::1", 80), for: "echo").sentence
                == #"[::1]:80: the entry of echo does not let it listen there; add "listen:[::1]:80" to its "grant"/"network""#
        )
        for address in [
            ListeningAddress.path("/run/a.sock"), .port(host: "127.0.0.1", 0), .port(host: "localhost", 80),
        ] {
            #expect(
                ListeningGrant.refusal(of: address, for: "echo").sentence
                    == "\(address): a worker listens nowhere but at an address in numbers with a port from 1 to 65535; let echo listen at one, or run it in the host"
            )
        }
    }
}
