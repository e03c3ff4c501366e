// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import GatehouseTesting
import Glibc
import Synchronization
import Testing

@testable import HTTPClientPlugin

/// The plugin where only its host can connect, as in a worker.
@Suite(.timeLimit(.minutes(10))) struct HTTPClientNetworkTests {
    /// A network that makes connections as a host does, and keeps what it was asked for.
    private final class Wishes: Sendable {
        /// Where connections were wanted to.
        let places = Mutex<[String]>([])
        /// Replaces the outcome of a connection; nil for the true one.
        let failure: ConnectionFailure?

        init(failing failure: ConnectionFailure? = nil) { self.failure = failure }

        /// The network.
        var network: HostNetwork {
            HostNetwork(isConfined: true) { [self] host, port, limit, completion in
                places.withLock { $0.append("\(host) \(port)") }
                if let failure { return completion(.failure(failure)) }
                HostNetwork().connect(to: host, port: port, within: limit, completion: completion)
            }
        }
    }

    /// A store with a URL and more settings.
    private func store(
        _ url: String, _ wishes: Wishes, _ more: Members = [:], status: PluginStatus = PluginStatus()
    ) throws -> TestStore<HTTPClient.Action, NoState> {
        let patient: Members = ["url": .string(url), "timeout": 300, "connectTimeout": 300]
        let store = try TestStore(
            HTTPClient.self, settings: .object(patient.merging(more)),
            services: TestServices(network: wishes.network, status: status))
        store.limit = .seconds(120)
        return store
    }

    @Test func `requests one after the other go over one connection of the host`() async throws {
        let (server, wishes) = (try ScriptedServer { _, number in .status(200 + number) }, Wishes())
        let store = try store(server.url("/hook"), wishes, ["concurrency": 1])
        for number in 0..<3 {
            try store.send(.send(["id": .integer(Int64(number))]))
            #expect(try await store.answer()["payload"]?["status"] == .integer(Int64(200 + number)))
        }
        #expect(wishes.places.withLock { $0 } == ["127.0.0.1 \(server.port)"])
        #expect(server.requests.map(\.body) == [#"{"id":0}"#, #"{"id":1}"#, #"{"id":2}"#])
        try await store.finish()
    }

    @Test func `many requests at a time have a connection each, and a name is looked up by the host`()
        async throws
    {
        let (goOn, wishes) = (DispatchSemaphore(value: 0), Wishes())
        let server = try ScriptedServer { _, _ in
            goOn.wait()
            goOn.signal()
            return .status(200)
        }
        let store = try store("http://LocalHost:\(server.port)/", wishes, ["concurrency": 8])
        for number in 0..<40 { try store.send(.send(["id": .integer(Int64(number))])) }
        goOn.signal()
        for _ in 0..<40 { #expect(try await store.answer()["type"] == "succeeded") }
        #expect(server.requests.count == 40)
        let places = wishes.places.withLock { $0 }
        #expect((1...40).contains(places.count))
        #expect(Set(places) == ["localhost \(server.port)"])
        try await store.finish()
    }

    @Test func `a connection that was open and is closed without an answer costs one attempt, not two`()
        async throws
    {
        let wishes = Wishes()
        let server = try ScriptedServer { _, number in number == 0 ? .status(200) : .raw("") }
        let store = try store(server.url(), wishes, ["attempts": 1, "concurrency": 1])
        try store.send(.send(["id": 1]))
        _ = try await store.answer()
        try store.send(.send(["id": 2]))
        #expect(
            try await store.answer()["payload"] == [
                "id": 2, "reason": "connection",
                "message": "no answer: the service has closed the connection without an answer",
                "attempts": 1,
            ])
        try await store.finish()
        #expect(server.requests.count == 2)
        #expect(wishes.places.withLock { $0.count } == 1)
    }

    @Test func `a redirect goes over the same connection`() async throws {
        let wishes = Wishes()
        let server = try ScriptedServer { request, _ in
            request.target == "/a" ? .status(307, headers: ["Location": "/b"]) : .status(200)
        }
        let store = try store(server.url("/a"), wishes, ["redirects": 1])
        try store.send(.send(1))
        #expect(try await store.answer()["type"] == "succeeded")
        #expect(server.requests.map(\.target) == ["/a", "/b"])
        #expect(wishes.places.withLock { $0.count } == 1)
        try await store.finish()
    }

    @Test func `a connection that the host does not make is told in its words`() async throws {
        let failure = ConnectionFailure(.unreachable, "a:80 cannot be reached: Connection refused")
        let wishes = Wishes(failing: failure)
        let store = try store("http://a/", wishes, ["attempts": 2, "pause": 0.001])
        try store.send(.send(["id": 1]))
        await store.awaitPause()
        store.advance(by: .seconds(1))
        #expect(
            try await store.answer()["payload"] == [
                "id": 1, "reason": "connection",
                "message": "no answer: a:80 cannot be reached: Connection refused", "attempts": 2,
            ])
        #expect(wishes.places.withLock { $0 } == ["a 80", "a 80"])
    }

    @Test func `what is not granted is not tried again, and makes the instance unhealthy`() async throws {
        let notices = Notices()
        let wishes = Wishes(failing: ConnectionFailure(.notGranted, "add it"))
        let store = try store("https://a/", wishes, status: PluginStatus { notices.add($0) })
        try store.send(.send(["id": 1]))
        #expect(
            try await store.answer()["payload"] == [
                "id": 1, "reason": "connection", "message": "no answer: add it", "attempts": 1,
            ])
        #expect(wishes.places.withLock { $0 } == ["a 443"])
        #expect(
            notices.all == [
                .health(.failing("no answer: add it")),
                .failed(action: "send", payload: ["id": 1], reason: "no answer: add it; attempts: 1"),
            ])
    }

    @Test func `a service that takes no connection times out when the time to connect is over`() async throws
    {
        let (silent, wishes) = (try SilentPort(), Wishes())
        let store = try store(
            "http://127.0.0.1:\(silent.port)/", wishes, ["attempts": 1, "connectTimeout": 0.2])
        try store.send(.send(["id": 1]))
        let payload = try await store.answer()["payload"]
        #expect(payload?["reason"] == "timeout")
        let message = payload?["message"]?.stringValue ?? ""
        #expect(
            message.hasPrefix("no answer: 127.0.0.1:\(silent.port) took no connection within 0."),
            "\(message)")
        try await store.finish()
    }

    @Test func `a service that is silent over a connection of the host times out`() async throws {
        let (server, wishes) = (try ScriptedServer { _, _ in .silence }, Wishes())
        let store = try store(server.url(), wishes, ["attempts": 1, "timeout": 5])
        try store.send(.send(["id": 1]))
        #expect(try await store.answer()["payload"]?["reason"] == "timeout")
        try await store.finish()
    }

    @Test(
        arguments: [
            ("http://A.example/x", "a.example", 80), ("https://a.example", "a.example", 443),
            ("http://a:8080/", "a", 8_080), ("https://[::1]/", "::1", 443), ("http://[::1]:81/", "::1", 81),
        ] as [(String, String, UInt16)])
    func `the host is asked for what the URL names`(url: String, host: String, port: UInt16) {
        #expect(RequestURL(url)?.host == host)
        #expect(RequestURL(url)?.port == port)
    }
}
