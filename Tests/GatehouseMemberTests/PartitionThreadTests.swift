// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseControl
import GatehouseManifest
import GatehousePlan
import GatehousePlanTesting
import GatehouseSDK
import GatehouseSupport
import GatehouseTesting
import Synchronization
import Testing

@testable import GatehouseMember
@testable import GatehouseRuntime

/// The thread that has partitions, with a cluster in memory and without instances.
@Suite(.timeLimit(.minutes(1))) struct PartitionThreadTests {
    private let cluster = MemoryCluster()
    private let table = PartitionTable()
    private let counts = ClusterCounts()
    private let thread: PartitionThread
    /// What the thread tells, and what it has an operator told.
    private let events: AsyncStream<PartitionThread.Event>
    private let notices: AsyncStream<ClusterNotice>

    init() throws {
        let (events, tell) = AsyncStream<PartitionThread.Event>.makeStream()
        let (notices, report) = AsyncStream<ClusterNotice>.makeStream()
        (self.events, self.notices) = (events, notices)
        let maker = PartitionMaker.example(of: PlanExample.plan([]), in: cluster, counts) { told in
            if case .cluster(let notice) = told { report.yield(notice) } else { Issue.record("\(told)") }
        }
        thread = PartitionThread(
            cluster, maker, table, counts, report: { report.yield($0) },
            onCall: { [cluster] in cluster.wake() },
            tell: { tell.yield($0) })
        try #require(thread.start())
    }

    /// Another thread, which has not begun, has partitions of a plan, and tells into a stream.
    private func other(
        of plan: HostPlan, clock: any Clock<Duration> = ContinuousClock(),
        tell: @escaping @Sendable (PartitionThread.Event) -> Void = { _ in }
    ) -> PartitionThread {
        let maker = PartitionMaker.example(of: plan, in: cluster, counts, clock: clock) {
            Issue.record("\($0)")
        }
        return PartitionThread(
            cluster, maker, table, counts, report: { _ in }, onCall: { [cluster] in cluster.wake() },
            tell: tell)
    }

    /// Gives the thread a partition, which was given to others so often without a checkpoint.
    private func begin(_ partition: Int, attempts: Int = 1) {
        thread.order(
            .begin(partition, PartitionGrant(epoch: 1, offset: .start, slices: [:], attempts: attempts)))
    }

    @Test func `an action that has ended its hosts three times is skipped, and the next one is taken`()
        async throws
    {
        cluster.add(#"{"type":"a/bad"}"#, #"{"type":"a/good"}"#, to: 0, tries: 3)
        begin(0, attempts: 3)
        var checkpoints = cluster.checkpoints.makeAsyncIterator()
        let first = try #require(await checkpoints.next(isolation: nil))
        #expect(first.offset == MemoryCluster.offset(1))
        #expect(first.dead.map { String(decoding: $0.action, as: UTF8.self) } == [#"{"type":"a/bad"}"#])
        #expect(first.dead.map(\.reason) == ["it has ended 3 hosts that started with it"])
        #expect(first.dead.map(\.offset) == [MemoryCluster.offset(1)])
        let second = try #require(await checkpoints.next(isolation: nil))
        #expect(second.offset == MemoryCluster.offset(2))
        #expect(second.dead.isEmpty)
        for await notice in notices {
            #expect(
                notice
                    == .setAside(
                        partition: 0, offset: MemoryCluster.offset(1), type: "a/bad",
                        reason: "it has ended 3 hosts that started with it"))
            break
        }
        #expect(counts.account.taken == 1)
        thread.order(.end)
    }

    @Test func `a partition is in the table from its begin to its end, which is told and counted`() async {
        begin(1)
        cluster.add(#"{"type":"a/b"}"#, to: 1)
        for await checkpoint in cluster.checkpoints {
            #expect(checkpoint.partition == 1 && checkpoint.offset == MemoryCluster.offset(1))
            break
        }
        #expect(table.all.mapValues(\.epoch) == [1: 1])
        thread.order(.finish(1, grace: .seconds(10)))
        for await event in events {
            guard case .finished(1, []) = event else {
                Issue.record("\(event)")
                break
            }
            break
        }
        #expect(table.all.isEmpty)
        #expect(counts.account.checkpoints == 1)
        #expect(counts.account.handOvers == 1)
        #expect(counts.account.fenced == 0)
        thread.order(.end)
    }

    @Test(arguments: [
        (
            "b",
            "cluster: partition 0 has gone to b, which resumes after the last checkpoint; work done here since then is void"
        ),
        (
            "a",
            "cluster: partition 0 was acquired again by this member, which resumes after the last checkpoint; work done here since then is void"
        ),
        (
            nil,
            "cluster: partition 0 was taken away; its next owner resumes after the last checkpoint; work done here since then is void"
        ),
    ])
    func `a partition of another epoch is let go of, told and counted`(owner: String?, sentence: String)
        async
    {
        cluster.give(0, to: .init(owner: owner, epoch: 2))
        cluster.add(#"{"type":"a/b"}"#, to: 0)
        begin(0)
        for await event in events {
            guard case .fenced(0, epoch: 1) = event else {
                Issue.record("\(event)")
                break
            }
            break
        }
        for await notice in notices {
            #expect(notice.description == sentence)
            break
        }
        #expect(counts.account.fenced == 1)
        #expect(table.all.isEmpty)
        thread.order(.end)
    }

    @Test func `a silence of the engine is told in milliseconds`() {
        #expect(
            ClusterNotice.goesOn(after: .nanoseconds(2_512_345_678)).description
                == "cluster: the engine answers again after 2.512 s")
    }

    @Test func `a partition that cannot be loaded is told with the reason`() async {
        let slices = [PartitionSlices.book: Array("{}".utf8)]
        thread.order(.begin(0, PartitionGrant(epoch: 1, offset: .start, slices: slices, attempts: 1)))
        for await event in events {
            guard case .unreadable(0, let diagnostics) = event else {
                Issue.record("\(event)")
                break
            }
            let reason =
                "the state of partition 0 cannot be read: /book: expected what a host writes there, found an object"
            #expect(diagnostics == Diagnostics(error: reason))
            break
        }
        #expect(table.all.isEmpty)
        thread.order(.end)
    }

    @Test func `a thread that has just got its first partition is not idle`() async {
        let (came, tell) = AsyncStream<Int>.makeStream()
        // Told on its thread.
        table.follow { [thread] _, change in if case .came = change { tell.yield(thread.idle) } }
        begin(0)
        for await idle in came {
            #expect(idle == 0)
            break
        }
        table.follow { _, _ in }
        thread.order(.end)
    }

    @Test func `whoever follows the partitions is there before one resumes what it had not finished`() async {
        let (heard, tell) = AsyncStream<String>.makeStream()
        table.follow { _, change in
            guard case .came(let core) = change else { return }
            core.queue.enqueue { core.hooks = RunHooks(onAction: { tell.yield($0.action.type.name) }) }
        }
        cluster.add(#"{"type":"a/next"}"#, to: 0)
        let held = Array(#"[{"number":1,"action":"{\"type\":\"a/held\"}"}]"#.utf8)
        thread.order(
            .begin(
                0,
                PartitionGrant(
                    epoch: 1, offset: .start, slices: [PartitionSlices.inputs: held], attempts: 1)))
        for await type in heard {
            #expect(type == "a/held")
            break
        }
        table.follow { _, _ in }
        thread.order(.end)
    }

    @Test func `the checkpoints of 64 partitions are written with one call`() async throws {
        let (events, tell) = AsyncStream<PartitionThread.Event>.makeStream()
        let thread = other(of: PlanExample.plan([])) { tell.yield($0) }
        let partitions = 0..<65
        let grant = PartitionGrant(epoch: 1, offset: .start, slices: [:], attempts: 1)
        for partition in partitions { thread.order(.begin(partition, grant)) }
        // All have something for their first checkpoints, which are due when they go.
        for partition in partitions { thread.order(.finish(partition, grace: .zero)) }
        try #require(thread.start())
        var left = Set(partitions)
        for await event in events {
            guard case .finished(let partition, []) = event else {
                Issue.record("\(event)")
                break
            }
            left.remove(partition)
            if left.isEmpty { break }
        }
        #expect(cluster.together == [64, 1])
        #expect(counts.account.checkpoints == 65)
        thread.order(.end)
    }

    @Test func `a refusal of the checkpoints of 64 partitions ends the thread, and is told`() async throws {
        let (events, tell) = AsyncStream<PartitionThread.Event>.makeStream()
        let thread = other(of: PlanExample.plan([])) { tell.yield($0) }
        let partitions = 0..<64
        let grant = PartitionGrant(epoch: 1, offset: .start, slices: [:], attempts: 1)
        for partition in partitions { thread.order(.begin(partition, grant)) }
        for partition in partitions { thread.order(.finish(partition, grace: .zero)) }
        cluster.refuse("checkpoint", .refused("it may not write"))
        try #require(thread.start())
        for await event in events {
            guard case .failed(.refused("it may not write")) = event else {
                Issue.record("\(event)")
                break
            }
            break
        }
        #expect(table.all.isEmpty)
        thread.order(.end)
    }

    @Test func `a partition that is to be dropped has gone before the next one comes`() async {
        let (changes, tell) = AsyncStream<String>.makeStream()
        table.follow { number, change in
            switch change {
            case .came: tell.yield("\(number) came")
            case .gone: tell.yield("\(number) has gone")
            }
        }
        begin(0)
        thread.order(.abandon(0))
        begin(1)
        var told: [String] = []
        for await change in changes {
            told.append(change)
            if change == "1 came" { break }
        }
        #expect(told == ["0 came", "0 has gone", "1 came"])
        table.follow { _, _ in }
        thread.order(.end)
    }

    @Test func `the effects of a partition that has gone are cancelled before that is told`() async throws {
        let clock = ManualClock()
        let plan = try PlanExample.plan(
            #"{ "directory": ".", "plugins": [{ "id": "timed", "library": "libTimedPlugin.so" }] }"#,
            libraries: ["TimedPlugin"])
        let (sleepers, tell) = AsyncStream<Int>.makeStream()
        let thread = other(of: plan, clock: clock) { event in
            if case .fenced = event { tell.yield(clock.sleepers) }
        }
        try #require(thread.start())
        cluster.add(#"{"type":"timed/remind","payload":{"id":"tea","after":5}}"#, to: 0)
        thread.order(
            .begin(0, PartitionGrant(epoch: 1, offset: .start, slices: [:], attempts: 1)))
        await clock.sleepers(1)
        cluster.give(0, to: .init(owner: "b", epoch: 2))
        cluster.add(#"{"type":"a/b"}"#, to: 0)
        for await count in sleepers {
            #expect(count == 0)
            break
        }
        thread.order(.end)
    }
}
