// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseTesting
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

    @Test(.timeLimit(.minutes(1)))
    func `in each round the server looks after its secrets, and tells its connections`() async throws {
        let scene = try RouterScene(secrets: ["hush"])
        let place = try #require(ListenAddress("127.0.0.1:0"))
        let given = scene.context { $0.listen = place }
        let clock = ManualClock()
        let (told, tell) = AsyncStream<PluginStatus.Notice>.makeStream()
        let status = PluginStatus { tell.yield($0) }
        let services = HostServices(
            instance: "http", log: given.log, clock: HostClock(clock: clock) { 0 }, dataDirectory: nil,
            ingress: given.ingress, control: given.control, status: status)
        let context = HTTP.Context(settings: given.settings, services: services)
        let server = try HTTPServer(context, DeliveryWindow(HTTP.State())) { _ in }
        defer { server.stop() }
        var notices = told.makeAsyncIterator()
        let path = scene.secretPaths[0].text
        FileSystem.remove(path)
        await clock.sleepers(1)
        clock.advance(by: .seconds(5))
        let failing = try #require(await notices.next())
        let words = "it cannot be read: No such file or directory; write it there, and let this user read it"
        #expect(failing == .health(.failing("the secret \(path): \(words)")))
        try FileSystem.write(Array("hush".utf8), to: path, mode: 0o600)
        await clock.sleepers(1)
        #expect(status.numbers == ["connections": .gauge(0)])
        clock.advance(by: .seconds(5))
        let mended = try #require(await notices.next())
        #expect(mended == .health(.ok))
    }
}
