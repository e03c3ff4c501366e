// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseControl
import GatehousePlanTesting
import Synchronization
import Testing

@testable import GatehouseMember
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The thread that keeps a lease, with a cluster in memory.
@Suite(.timeLimit(.minutes(1))) struct MembershipTests {
    /// What an operator is told.
    private final class Told: Sendable {
        let reports = Mutex<[HostReport]>([])
    }

    private let cluster = MemoryCluster()
    private let table = PartitionTable()
    private let mailbox = Mailbox<Membership.Message>()
    private let told = Told()
    private let thread: PartitionThread
    private let membership: Membership

    init() throws {
        let maker = PartitionMaker.example(of: PlanExample.plan([]), in: cluster) { _ in }
        thread = PartitionThread(
            cluster, maker, table, ClusterCounts(), report: { Issue.record("\($0)") },
            onCall: { [mailbox] in mailbox.pipe.wake() }, tell: { [mailbox] in mailbox.send(.event($0)) })
        membership = Membership(
            ClusterPresence(name: "a", life: "1"), of: .example, cluster, [thread], mailbox,
            stop: StopRequest(),
            grace: .seconds(10),
            reports: Reporter { [told] report in told.reports.withLock { $0.append(report) } })
    }

    /// Lets the member begin.
    private func begin() throws { try #require(thread.start() && membership.begin()) }

    @Test func `a member takes all partitions that fall to it, and releases them before it leaves`()
        async throws
    {
        try begin()
        var changes = cluster.changes.makeAsyncIterator()
        let acquired = [await changes.next(isolation: nil), await changes.next(isolation: nil)]
        #expect(Set(acquired) == ["a has 0", "a has 1"])
        membership.leave(by: .now + .seconds(20))
        let released = [await changes.next(isolation: nil), await changes.next(isolation: nil)]
        #expect(Set(released) == ["a released 0", "a released 1"])
        #expect(await changes.next(isolation: nil) == "a left")
        #expect(membership.current.failure == nil)
    }

    @Test func `a thread that may have been about to wait is woken until it does not`() async throws {
        try begin()
        var changes = cluster.changes.makeAsyncIterator()
        // A member that wakes it now and then only takes minutes for these.
        cluster.deafen(to: 120)
        while let change = await changes.next(isolation: nil), change != "somebody waits" {}
        // Nothing to do for the thread, but a reason to be woken where it waits.
        thread.order(.abandon(9))
        while let change = await changes.next(isolation: nil), change != "somebody was woken" {}
        membership.leave(by: .now + .seconds(20))
        while let change = await changes.next(isolation: nil), change != "a left" {}
        #expect(membership.current.failure == nil)
    }

    @Test func `a member that may not wake its threads says so and ends, and so do they`() async throws {
        let (gone, tell) = AsyncStream<Int>.makeStream()
        table.follow { number, change in if case .gone = change { tell.yield(number) } }
        cluster.refuse("wake", .refused("it may not wake anybody"))
        try begin()
        for await change in cluster.changes where change == "a has 1" { break }
        while membership.current.failure == nil {
            // Nothing to do for the thread, but a reason to be woken where it waits.
            thread.order(.abandon(9))
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(membership.current.failure == .refused("it may not wake anybody"))
        var dropped = gone.makeAsyncIterator()
        let partitions = [await dropped.next(isolation: nil), await dropped.next(isolation: nil)]
        #expect(Set(partitions) == [0, 1])
    }

    @Test func `a member with a partition that cannot be loaded tells every reason, and ends with the first`()
        async throws
    {
        try begin()
        mailbox.send(
            .event(.unreadable(1, Diagnostics([Diagnostic(.error, "one"), Diagnostic(.error, "another")]))))
        while !membership.current.hasLeft {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(membership.current.failure == .refused("partition 1 cannot be loaded: one"))
        let loaded = told.reports.withLock { $0 }.filter {
            if case .cluster(.loaded) = $0 { true } else { false }
        }
        #expect(
            loaded == [.cluster(.loaded(partition: 1, "one")), .cluster(.loaded(partition: 1, "another"))])
    }

    @Test func `a member whose lease is refused says so and ends`() async throws {
        cluster.refuse("renew", .superseded("process 7, life 2"))
        try begin()
        while !membership.current.hasLeft {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(membership.current.failure == .superseded("process 7, life 2"))
    }

    @Test func `a member whose lease cannot be renewed for now says so and stays`() async throws {
        cluster.refuse("renew", .full("there is no room"))
        try begin()
        while membership.current.trouble == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(membership.current.trouble == .full("there is no room"))
        #expect(!membership.current.hasLeft)
        membership.leave(by: .now)
        while !membership.current.hasLeft {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
