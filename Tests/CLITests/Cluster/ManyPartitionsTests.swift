// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// A member that has many more partitions than a machine has processors.
@Suite(
    .enabled(if: RedisServer.isInstalled, "there is no Redis; Scripts/install-packages installs one"),
    .timeLimit(.minutes(10)))
struct ManyPartitionsTests {
    private let partitions = 512

    /// How often the server has done what a script does: each script calls a command that no other calls so often.
    private func calls(_ command: String, of redis: RedisServer) throws -> Int {
        let lines = try redis.call("INFO", "commandstats").split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0.hasPrefix("cmdstat_\(command):calls=") }) else { return 0 }
        return Int(line.drop { $0 != "=" }.dropFirst().prefix { $0 != "," }) ?? 0
    }

    @Test func `a member with many partitions tells of all at once, and hands all over before it ends`()
        throws
    {
        let cluster = try OperatedCluster(partitions: partitions)
        let renewals = try calls("zadd", of: cluster.redis)
        // One call for each acquisition, one for the first checkpoint of each, and few others: the member has joined, and renewed.
        #expect(try calls("evalsha", of: cluster.redis) <= 2 * partitions + renewals + 10)

        let process = try cluster.process("a")
        let descriptors = try FileManager.default.contentsOfDirectory(
            atPath: "/proc/\(process.identifier)/fd")
        #expect(descriptors.count < 100, "a partition takes no descriptor")

        let actions = (0..<2_000).map { "{\"type\":\"eu/increment\",\"payload\":{\"by\":\($0)}}" }
        let sent = try cluster.ctl("a", ["dispatch", "-"], input: actions.joined(separator: "\n"))
        #expect(sent.exitCode == 0, "\(sent.errors)")
        var status = try cluster.answer("a", "status")
        while status["cluster"]?["taken"] != 2_000 { status = try cluster.answer("a", "status") }
        #expect(status["cluster"]?["owned"] == Value(partitions))
        let instances = try #require(status["instances"]?.arrayValue)
        #expect(instances.first { $0["id"] == "eu" }?["heard"] == 2_000)
        let states = try #require(try cluster.answer("a", "state", "/partitions").objectValue)
        #expect(states.count == partitions)

        process.signal(SIGTERM)
        let outcome = try process.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(!outcome.errors.contains("given up"), "\(outcome.errors)")
        let titles = try cluster.redis.call("HVALS", "{gatehouse:shop}:titles")
        #expect(titles.split(separator: "\n").allSatisfy { $0 == "1 " }, "all were given back")
        #expect(titles.split(separator: "\n").count == partitions)
    }

    @Test func `an idle member asks the engine for nothing but its lease and news`() throws {
        let cluster = try OperatedCluster(partitions: partitions)
        // What every partition writes once when it has begun is behind it.
        var before = (scripts: 0, renewals: 0)
        var scripts = try calls("evalsha", of: cluster.redis)
        repeat {
            before.scripts = scripts
            before.renewals = try calls("zadd", of: cluster.redis)
            while try calls("zadd", of: cluster.redis) < before.renewals + 2 {}
            scripts = try calls("evalsha", of: cluster.redis)
        } while scripts > before.scripts + 10
        let reads = try calls("xread", of: cluster.redis)
        let renewals = try calls("zadd", of: cluster.redis)
        while try calls("zadd", of: cluster.redis) < renewals + 3 {}
        // Three renewals are two seconds, in which each worker reads all its partitions by 20 calls.
        let workers = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)
        #expect(try calls("xread", of: cluster.redis) - reads <= workers * 100)
        try cluster.finish()
    }
}
