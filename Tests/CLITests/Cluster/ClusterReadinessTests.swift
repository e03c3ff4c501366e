// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What a member says, and answers to clients of HTTP, while its engine does not do what it is asked.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterReadinessTests {
    /// A member that serves HTTP, with all partitions.
    private func member(_ redis: RedisServer) throws -> HTTPHost {
        let host = try HTTPHost(
            HTTPHost.configuration(
                members:
                    #""cluster": { "engine": "\#(redis.url)", "name": "shop", "partitions": 4, "lease": 1, "key": { "*": "/by" } }, "#
            ))
        try host.child.waitForErrors("has 4 of 4 partitions")
        return host
    }

    /// Brings an action.
    private func bring(_ host: HTTPHost, _ number: Int) throws -> HTTPConnection.Answer {
        try host.bring(#"{"type":"counter/increment","payload":{"by":1},"meta":{"id":"\#(number)"}}"#)
    }

    /// The answer to `GET /ready`: its status, and its reasons.
    private func readiness(_ host: HTTPHost) throws -> (status: Int, reasons: [String]) {
        let answer = try host.ask("GET", "/ready")
        let reasons = try JSONText.parse(answer.body)["reasons"]?.arrayValue ?? []
        return (answer.status, reasons.compactMap(\.stringValue))
    }

    /// Expects that an action is refused within the limit, and not taken in silence.
    private func expectRefusal(_ host: HTTPHost, _ number: Int, _ words: String) throws {
        let answer = try bring(host, number)
        #expect(answer.status == 503, "\(answer.body)")
        #expect(answer.fields["retry-after"] == "1")
        let error = try JSONText.parse(answer.body)["error"]?.stringValue ?? answer.body
        #expect(
            error.hasPrefix("it is not confirmed, and may still be taken: the engine \(words)"), "\(error)")
        #expect(error.hasSuffix("; send it again under the same meta.id"), "\(error)")
        // From then on nothing is taken that would wait.
        let next = try bring(host, number + 1)
        #expect(next.status == 503)
        #expect(next.body.contains("the engine \(words)"), "\(next.body)")
        #expect(next.body.contains("; ask again"), "\(next.body)")
        let (status, reasons) = try readiness(host)
        #expect(status == 503)
        #expect(reasons.contains { $0.hasPrefix("the engine \(words)") }, "\(reasons)")
        let metrics = try host.ask("GET", "/metrics").body
        #expect(metrics.contains("gatehouse_cluster_ready{host=\"shop\",cluster=\"shop\"} 0\n"), "\(metrics)")
        #expect(metrics.contains("gatehouse_cluster_engine_up{host=\"shop\",cluster=\"shop\"} 0\n"))
    }

    /// Waits until the member is ready again, and takes an action that was refused, which counts once.
    private func expectReturn(_ host: HTTPHost, _ number: Int) throws {
        try host.child.waitForErrors("cluster: the engine answers again after ")
        var answer = try bring(host, number)
        while answer.status == 503 { answer = try bring(host, number) }
        #expect(answer.status == 200, "\(answer.body)")
        while try readiness(host).status != 200 {}
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(!outcome.errors.contains("lost"), "\(outcome.errors)")
    }

    @Test func `while the engine is dead, clients get an answer, and the member is not ready`() throws {
        let redis = try RedisServer(durability: .always)
        let host = try member(redis)
        #expect(try readiness(host) == (200, []))
        #expect(try bring(host, 1).status == 200)
        try redis.kill()
        try expectRefusal(host, 2, "cannot be reached: ")
        try redis.restart()
        try expectReturn(host, 2)
    }

    @Test func `while the engine is full, clients get an answer, and the member is not ready`() throws {
        let redis = try RedisServer("--maxmemory-policy", "noeviction")
        let host = try member(redis)
        try redis.call("CONFIG", "SET", "maxmemory", "1")
        try expectRefusal(host, 1, "is full: ")
        try redis.call("CONFIG", "SET", "maxmemory", "0")
        try expectReturn(host, 1)
    }

    @Test func `a member that runs none of its partitions says so, and a drained one is ready`() throws {
        let cluster = try OperatedCluster(partitions: 2)
        #expect(try cluster.answer("a", "status")["cluster"]?["ready"] == true)
        #expect(try cluster.ctl("a", "cluster", "drain", "a").exitCode == 0)
        try cluster.wait(for: "a", toSay: "has 0 of 2 partitions")
        #expect(try cluster.answer("a", "status")["cluster"]?["ready"] == true)
        #expect(try cluster.ctl("a", "cluster", "undrain", "a").exitCode == 0)
        try cluster.process("a").waitForErrors {
            $0.split(separator: "\n").count { $0.contains("has 2 of 2 partitions, 1 member") } == 2
        }
        cluster.redis.pause()
        try cluster.wait(for: "a", toSay: "cluster: the lease ran out before it was renewed; ")
        // It drops them after it has said so.
        let none = Value.string("a runs none of the 2 partitions that fall to it")
        var status = Value.null
        repeat {
            status = try #require(try cluster.answer("a", "status")["cluster"])
        } while status["obstacles"]?.arrayValue?.contains(none) != true
        #expect(status["ready"] == false)
        #expect(
            try cluster.ctl("a", "status").output.contains(
                "; a runs none of the 2 partitions that fall to it\n"))
        cluster.redis.resume()
        try cluster.wait(for: "a", toSay: "cluster: the engine answers again after ")
        while try cluster.answer("a", "status")["cluster"]?["ready"] != true {}
        try cluster.finish()
    }
}
