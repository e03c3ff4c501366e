// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import GatehouseHostTesting
import Glibc
import Testing

/// A member whose partitions have many more instances of `http-client` than its process has threads to share.
@Suite(
    .enabled(if: RedisServer.isInstalled, "there is no Redis; Scripts/install-packages installs one"),
    .timeLimit(.minutes(10)))
struct ManyClientsTests {
    private let partitions = 300
    private let clients = ["post", "mail", "page", "book"]

    /// The entries of the clients, each after a comma; all send what is placed.
    private func entries(to url: String) -> String {
        clients.map { id in
            """
            , { "id": "\(id)", "library": "libHTTPClientPlugin.so", "settings": { "url": "\(url)/\(id)" },
                "lift": { "input": { "order/placed": "send" } } }
            """
        }.joined()
    }

    /// Puts an action into each of the first partitions.
    private func place(_ order: Int, inFirst count: Int, of redis: RedisServer) throws {
        try redis.call(
            "EVAL",
            """
            for partition = 0, ARGV[1] - 1 do
                redis.call("XADD", "{gatehouse:shop}:in:" .. partition, "*", "a", ARGV[2] .. partition .. "}}")
            end
            """, "0", "\(count)", #"{"type":"order/placed","payload":{"order":\#(order),"id":"#)
    }

    /// How many threads a process has.
    private func threads(of process: ChildProcess) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.identifier)/task").count
    }

    @Test
    func `requests of 1,200 instances arrive, take no thread each, and do not keep a member from ending`()
        throws
    {
        let arrived = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { request, _ in
            arrived.signal()
            // Each connection is a thread of the server.
            return request.body.contains(#""order":1"#)
                ? .raw("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n") : .silence
        }
        let cluster = try OperatedCluster(
            partitions: partitions, plugins: entries(to: server.url()), libraries: ["HTTPClientPlugin"])
        let process = try cluster.process("a")
        let before = try threads(of: process)

        try place(1, inFirst: partitions, of: cluster.redis)
        for _ in 0..<partitions * clients.count {
            try #require(arrived.wait(timeout: .now() + 60) == .success, "a request is missing")
        }
        #expect(try threads(of: process) <= before + 10)
        let keys = server.requests.compactMap { $0.headers["idempotency-key"] }
        #expect(Set(keys).count == partitions * clients.count, "each was sent once")

        // These have no answer when the member is asked to end.
        try place(2, inFirst: 10, of: cluster.redis)
        for _ in 0..<10 * clients.count {
            try #require(arrived.wait(timeout: .now() + 60) == .success, "a request is missing")
        }
        process.signal(SIGTERM)
        let outcome = try process.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let titles = try cluster.redis.call("HVALS", "{gatehouse:shop}:titles").split(separator: "\n")
        #expect(titles.allSatisfy { $0 == "1 " }, "all were given back: \(outcome.errors)")
        #expect(titles.count == partitions)
    }
}
