// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseCluster
import GatehouseHostTesting
import Glibc
import Testing

/// What members do and say when something fails, by the table of failures.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterFailureTests {
    /// Members that have all partitions, after the writer has begun.
    private func begun(
        _ names: String..., proxied: Bool = false, redis: RedisServer? = nil,
        _ change: (inout ClusterScene.Terms) -> Void = { _ in }
    ) throws -> (cluster: ClusterCase, members: [SceneMember]) {
        var terms = ClusterScene.Terms()
        change(&terms)
        let cluster = try ClusterCase(redis, terms)
        let members = try names.map { try cluster.scene.member($0, isProxied: proxied) }
        for member in members { try member.startListening() }
        try cluster.scene.waitUntilSettled(members)
        try cluster.write(500)
        return (cluster, members)
    }

    // MARK: - Members

    @Test func `the partitions of a member that is killed go on elsewhere within two leases`() throws {
        let (cluster, members) = try begun("a", "b", "c") { $0.lease = 10 }
        try cluster.begin(2_000)
        try cluster.waitForWriter(100)
        let start = ContinuousClock.now
        try members[0].kill()
        try cluster.scene.waitUntilSettled([members[1], members[2]])
        #expect(start.duration(to: .now) <= .seconds(20))
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    @Test func `a member that slept through its lease says so, and does nothing twice`() throws {
        let (cluster, members) = try begun("a", "b")
        try cluster.begin(2_000)
        try cluster.waitForWriter(100)
        try members[0].pause()
        try cluster.scene.waitUntilSettled([members[1]])
        try members[0].resume()
        try members[0].running().waitForErrors { said in
            said.contains("cluster: the lease ran out before it was renewed; ")
                || said.contains(" has gone to b, which resumes after the last checkpoint")
        }
        try cluster.scene.waitUntilSettled(members)
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    @Test
    func `an engine that answers a byte now and then keeps no member's lease alive, and no member alive`()
        throws
    {
        let (cluster, members) = try begun("a", "b", proxied: true) { $0.lease = 3 }
        let proxy = try #require(members[0].proxy)
        proxy.drip(every: .milliseconds(500))
        try members[0].running().waitForErrors("cluster: the lease ran out before it was renewed; ")
        let start = ContinuousClock.now
        try members[0].running().signal(SIGTERM)
        let outcome = try members[0].finish()
        // The grace for effects, two seconds for what is handed over, and one call that is under way.
        #expect(start.duration(to: .now) < .seconds(15))
        #expect(outcome.errors.contains("cluster: the engine cannot be reached: no answer came in time"))
        try cluster.scene.waitUntilSettled([members[1]])
        try cluster.write(100)
        try cluster.expectAll()
    }

    @Test func `a new member takes its share within a lease, and the others go on`() throws {
        let (cluster, members) = try begun("a", "b") { ($0.partitions, $0.lease) = (16, 30) }
        let third = try cluster.scene.member("c")
        try cluster.begin(20_000)
        try third.startListening()
        let (start, before) = (ContinuousClock.now, cluster.acknowledged)
        let owners = Rendezvous.owners(of: 16, among: ["a", "b", "c"])
        _ = try cluster.scene.wait("each partition is where it belongs") {
            $0.partitions.map(\.title.owner) == owners
        }
        #expect(start.duration(to: .now) <= .seconds(30))
        #expect(cluster.acknowledged > before)
        try cluster.waitForWriter()
        try cluster.expectAll()
        for member in members {
            let said = member.ended.last?.errors ?? ""
            #expect(!said.contains("lease has run out"))
        }
    }

    @Test func `a member that ends hands its partitions over without waiting for its lease`() throws {
        let (cluster, members) = try begun("a", "b") { $0.lease = 30 }
        let start = ContinuousClock.now
        #expect(try members[0].stop().exitCode == 0)
        try cluster.scene.waitUntilSettled([members[1]])
        #expect(start.duration(to: .now) < .seconds(30))
        try cluster.write(100)
        try cluster.expectAll()
    }

    @Test func `of two processes with one name the newer one goes on, and the older one ends and says so`()
        throws
    {
        let (cluster, members) = try begun("a", "b")
        let newer = try cluster.scene.member("a")
        try newer.startListening()
        let outcome = try members[0].finish()
        #expect(
            outcome.errors.contains("gatehouse: another process has joined under this member's name: "),
            "\(outcome.errors)")
        #expect(outcome.exitCode == 77)
        try cluster.scene.waitUntilSettled([newer, members[1]])
        try cluster.write(100)
        try cluster.expectAll()
    }

    @Test func `a member with another number of partitions is refused, and names both`() throws {
        let (cluster, _) = try begun("a")
        let other = try cluster.scene.member("b") {
            $0.replacing(#""partitions": 8"#, with: #""partitions": 4"#)
        }
        try other.start()
        let outcome = try other.finish()
        #expect(
            outcome.errors.contains(" has 8 partitions, not 4; write 8 in plugins.json, or "),
            "\(outcome.errors)")
        #expect(outcome.exitCode == 74)
        try cluster.expectAll()
    }

    // MARK: - The network

    @Test func `a member that is cut off goes on when the network is back`() throws {
        let (cluster, members) = try begun("a", "b", proxied: true)
        try cluster.begin(2_000)
        try cluster.waitForWriter(100)
        members[0].proxy?.refuse(true)
        members[0].proxy?.cut()
        try members[0].waitFor("; trying again\n")
        try cluster.scene.waitUntilSettled([members[1]])
        try members[0].waitFor("cluster: the lease ran out before it was renewed; ")
        members[0].proxy?.refuse(false)
        try members[0].waitFor("cluster: the engine answers again after ")
        try cluster.scene.waitUntilSettled(members)
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    @Test func `what a member has sent before it was cut off does no harm when it arrives late`() throws {
        let (cluster, members) = try begun("a", "b", proxied: true)
        try cluster.begin(5_000)
        try cluster.waitForWriter(100)
        members[0].proxy?.freeze()
        try members[0].waitFor("cluster: the engine answers again after ")
        try cluster.waitForWriter(100)
        members[0].proxy?.thaw()
        try cluster.waitForWriter()
        try cluster.scene.waitUntilSettled(members)
        try cluster.expectAll()
    }

    @Test func `a checkpoint whose answer is lost is written once`() throws {
        let (cluster, members) = try begun("a", "b", proxied: true)
        try cluster.begin(2_000)
        for member in members {
            member.proxy?.loseReply(to: "instance:passbook")
            #expect(member.proxy?.waitUntilStruck() == true)
        }
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    @Test func `input whose answer is lost is taken once, also when its writer gives it no name`() throws {
        let cluster = try ClusterCase(namingLines: false)
        let members = try cluster.start("a", "b", proxied: true)
        try cluster.write(500)
        for member in members { member.proxy?.loseReply(to: "passbook/enter") }
        try cluster.begin(2_000)
        // The writer writes to one of them.
        _ = try cluster.scene.wait("an answer is lost") { _ in
            members.contains { $0.proxy?.hasStruck() == true }
        }
        try cluster.waitForWriter()
        try cluster.expectAll()
    }

    // MARK: - The engine

    @Test func `members wait for an engine that is restarted with what it had, and go on`() throws {
        let redis = try RedisServer(durability: .always)
        let (cluster, members) = try begun("a", "b", redis: redis)
        try cluster.begin(2_000)
        try cluster.waitForWriter(100)
        try redis.kill()
        for member in members { try member.waitFor("; trying again\n") }
        try redis.restart()
        for member in members {
            try member.waitFor(
                "cluster: the engine was restarted and has everything that this member knew\n")
        }
        try cluster.waitForWriter()
        try cluster.scene.waitUntilSettled(members)
        try cluster.expectAll()
    }

    @Test func `input waits for an engine that is full, and goes on when it gets more memory`() throws {
        let redis = try RedisServer("--maxmemory-policy", "noeviction")
        let (cluster, members) = try begun("a", "b", redis: redis)
        try redis.call("CONFIG", "SET", "maxmemory", "1")
        try cluster.begin(1_000)
        _ = try cluster.scene.wait("somebody says that it is full") { _ in
            members.contains {
                $0.process?.errorsSoFar.contains("cluster: the engine is full, so input waits: ") == true
            }
        }
        // What there is goes on: leases are kept, and nothing moves.
        try cluster.scene.waitUntilSettled(members)
        try redis.call("CONFIG", "SET", "maxmemory", "0")
        try cluster.waitForWriter()
        try cluster.expectAll()
        for member in members {
            let said = member.ended.last?.errors ?? ""
            #expect(!said.contains("lease has run out"), "\(said)")
        }
    }

    @Test
    func `an engine that may evict partitions is refused at the start, and waited for by running members`()
        throws
    {
        let redis = try RedisServer()
        let (cluster, members) = try begun("a", "b", redis: redis)
        try redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lfu")
        let sentence =
            "\(redis.url) may evict partitions when it is full, by maxmemory-policy allkeys-lfu; set that to noeviction"
        for member in members { try member.waitFor("cluster: \(sentence); trying again\n") }
        let third = try cluster.scene.member("c")
        try third.start()
        let outcome = try third.finish()
        #expect(
            outcome.errors
                == "gatehouse: the cluster torture at \(redis.url) cannot be joined: \(sentence)\n")
        #expect(outcome.exitCode == 74)
        try cluster.begin(500)
        try redis.call("CONFIG", "SET", "maxmemory-policy", "noeviction")
        for member in members { try member.waitFor("cluster: the engine answers again after ") }
        try cluster.waitForWriter()
        try cluster.scene.waitUntilSettled(members)
        try cluster.expectAll()
    }

    @Test
    func
        `members stop when the engine has lost what it had confirmed, and stay so until an operator decides`()
        throws
    {
        let redis = try RedisServer(durability: .always)
        let (cluster, members) = try begun("a", "b", redis: redis)
        try cluster.scene.waitUntilDone()
        let copy = try redis.copy()
        try cluster.write(500)
        try cluster.scene.waitUntilDone()
        try redis.kill()
        try redis.restore(copy)
        try redis.restart()
        for member in members {
            let outcome = try member.finish()
            #expect(outcome.errors.contains("this member has left the cluster"), "\(outcome.errors)")
            #expect(
                outcome.errors.contains(
                    "cluster: halted, for all members, until Redis has everything again or gatehouse cluster resume lifts it\n"
                ), "\(outcome.errors)")
            #expect(outcome.exitCode == 76)
        }
        // Neither one that knows what is lost, nor one that knows nothing, begins on the old copy.
        let third = try cluster.scene.member("c")
        for member in members + [third] {
            try member.start()
            let outcome = try member.finish()
            #expect(
                outcome.errors.contains(
                    "gatehouse: the cluster torture at \(redis.url) cannot be joined: the cluster 'torture' at \(redis.url) is halted, as found by "
                ), "\(outcome.errors)")
            #expect(outcome.exitCode == 76)
        }
        let refused = try third.call("cluster", "resize", "4")
        #expect(refused.exitCode == 76)
        let shown = try third.call("cluster", "resume", "--dry-run")
        #expect(
            shown.output.hasPrefix("cluster torture: was halted, as found by "),
            "\(shown.output) \(shown.errors)")
        #expect(shown.output.contains(": had actions of partition "))
        #expect(
            shown.output.hasSuffix(
                "cluster torture: members would join again and continue without that\n"))
        let lifted = try third.call("cluster", "resume")
        #expect(
            lifted.output.hasSuffix("cluster torture: members may join again, and continue without that\n"),
            "\(lifted.output) \(lifted.errors)")
        #expect(lifted.exitCode == 0)
        #expect(
            try third.call("cluster", "resume").errors
                == "gatehouse: the cluster torture is not halted\n")
        for member in members { try member.startListening() }
        try cluster.scene.waitUntilSettled(members)
        for member in members { #expect(try member.stop().exitCode == 0) }
    }

    @Test func `a member that is started again notices what the engine has lost meanwhile`() throws {
        let redis = try RedisServer(durability: .always)
        let (cluster, members) = try begun("a", redis: redis)
        try cluster.scene.waitUntilDone()
        let copy = try redis.copy()
        try cluster.write(100)
        try cluster.scene.waitUntilDone()
        #expect(try members[0].stop().exitCode == 0)
        try redis.kill()
        let newest = try redis.copy()
        try redis.restore(copy)
        try redis.restart()
        try members[0].start()
        let outcome = try members[0].finish()
        #expect(
            outcome.errors.contains(": it went back to an older copy. Restore its newest copy"),
            "\(outcome.errors)")
        #expect(outcome.exitCode == 76)
        // The newest copy needs no more than to be there.
        try redis.kill()
        try redis.restore(newest)
        try redis.restart()
        try members[0].startListening()
        try cluster.write(100)
        try cluster.expectAll()
    }

    @Test func `a partition that vanished stops all members, and is never begun from scratch`() throws {
        let redis = try RedisServer()
        let (cluster, members) = try begun("a", "b", redis: redis)
        try cluster.scene.waitUntilDone()
        try redis.call("DEL", "{gatehouse:torture}:state:3")
        try cluster.begin(500)
        for member in members {
            let outcome = try member.finish()
            #expect(
                outcome.errors.contains("had confirmed a checkpoint of partition 3 at "), "\(outcome.errors)")
            #expect(outcome.exitCode == 76)
        }
        #expect(try redis.call("EXISTS", "{gatehouse:torture}:state:3") == "0")
    }

    @Test func `a member waits for an engine that is not there when it starts, and joins when it is`() throws
    {
        let redis = try RedisServer(durability: .always)
        let cluster = try ClusterCase(redis)
        let member = try cluster.scene.member("a")
        try redis.kill()
        try member.start()
        try member.waitFor("cluster: the engine cannot be reached: Connection refused; trying again\n")
        try redis.restart()
        try member.waitFor("gatehouse: listening at in.sock\n")
        try cluster.scene.waitUntilSettled([member])
        try cluster.write(100)
        try cluster.expectAll()
        let said = member.ended.last?.errors ?? ""
        #expect(said.contains("cluster: the engine answers again after "), "\(said)")
    }

    @Test func `a member that waits for an engine at its start ends when it is asked to`() throws {
        let redis = try RedisServer()
        let cluster = try ClusterCase(redis)
        let member = try cluster.scene.member("a")
        try redis.kill()
        try member.start()
        try member.waitFor("; trying again\n")
        let outcome = try member.stop()
        #expect(
            outcome.errors.hasSuffix(
                "gatehouse: ended before the engine of the cluster answered; nothing was run\n"),
            "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    // MARK: - Clocks

    @Test(arguments: [3_600, -3_600])
    func `the clock of a member may be set without any harm`(seconds: Int) throws {
        let cluster = try ClusterCase()
        let members = [
            try cluster.scene.member("a", hasFalseClock: true), try cluster.scene.member("b"),
        ]
        for member in members { try member.startListening() }
        try cluster.scene.waitUntilSettled(members)
        try cluster.begin(4_000)
        try cluster.waitForWriter(500)
        try members[0].clock?.set(by: seconds)
        try cluster.waitForWriter()
        try cluster.scene.waitUntilSettled(members)
        try cluster.expectAll()
        for member in members {
            let said = member.ended.last?.errors ?? ""
            #expect(!said.contains("lease has run out"), "\(said)")
        }
    }

    @Test func `a member whose clock is an hour ahead knows names and sources for as long as the others`()
        throws
    {
        let cluster = try ClusterCase()
        let (right, wrong) = (
            try cluster.scene.member("a"), try cluster.scene.member("b", hasFalseClock: true)
        )
        let send = { (number: Int, member: SceneMember) in
            let writer = try LocalConnection(member.socket)
            try #require(
                writer.write(
                    #"{"type":"passbook/enter","payload":{"key":"k0","writer":"w","number":\#(number)},"meta":{"id":"\#(number)"}}"#
                        + "\n"))
            #expect(writer.readLine() == #"{"ok":1}"#)
        }
        try right.startListening()
        try send(1, right)
        try cluster.scene.waitUntilDone()
        #expect(try right.stop().exitCode == 0)
        try wrong.clock?.set(by: 3_600)
        try wrong.startListening()
        try cluster.scene.waitUntilSettled([wrong])
        try send(2, wrong)
        // By the member's own clock the checkpoint of this would forget what was called 1.
        try cluster.scene.waitUntilDone()
        try send(1, wrong)
        try cluster.scene.waitUntilDone()
        let outcome = try wrong.stop()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let pages = try PassbookPages(of: try cluster.scene.slices())
        #expect(pages.runs("k0", of: "w") == [1...2])
        #expect(pages.faults == [])
    }

    @Test(arguments: [3_600, -3_600])
    func `when the clock of the engine is set, leases may end early, and nothing is done twice`(seconds: Int)
        throws
    {
        let folder = try TemporaryFolder()
        let clock = try FalseClock("clock", in: folder)
        let (cluster, members) = try begun("a", "b", redis: try RedisServer(clock: clock))
        try cluster.begin(4_000)
        try cluster.waitForWriter(500)
        try clock.set(by: seconds)
        // One that is gone by then is missed as soon as ever, although its lease was counted by the clock as it was before.
        try members[0].kill()
        try cluster.scene.waitUntilSettled([members[1]])
        try members[0].startListening()
        try cluster.waitForWriter()
        try cluster.scene.waitUntilSettled(members)
        try cluster.expectAll()
    }
}
