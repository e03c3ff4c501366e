// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import HTTPPlugin

/// The server of an instance, before a host that answers as a test says.
@Suite(.timeLimit(.minutes(5))) struct HTTPServerTests {
    @Test func `whoever asks whether an instance is ready is told that its gate is closed`() async throws {
        let scene = try RouterScene(secrets: [])
        let place = try #require(ListenAddress("127.0.0.1:0"))
        let server = try HTTPServer(scene.context { $0.listen = place }, DeliveryWindow(HTTP.State())) { _ in
        }
        let port = try #require(Int(server.address.split(separator: ":").last ?? ""))
        for (gate, answer) in [(GateState.active, "200 OK"), (.bypass, "503 Service Unavailable")] {
            server.router.gate = gate
            let client = try LocalConnection(port: port)
            client.write("GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            let line = try await TestThread.value { client.readLine() }
            #expect(line == "HTTP/1.1 \(answer)\r")
        }
        server.stop()
    }
}
