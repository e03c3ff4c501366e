// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import Testing

/// What one member does, step by step.
@Suite(.timeLimit(.minutes(10))) struct ClusterMemberTests {
    private let times = ClusterMember.Times(lease: .seconds(3))

    /// A member that owns both partitions of its cluster, and no other is there.
    private func alone() -> ClusterMember {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        #expect(member.tick(.zero) == [.renew(call: 1)])
        #expect(
            member.renewed(roll(live: ["a"]), by: 1, at: .milliseconds(10))
                == [.acquire(0, after: 0, call: 2), .acquire(1, after: 0, call: 3)])
        #expect(member.acquired(0, epoch: 1, by: 2, at: .milliseconds(20)) == [.begin(0, epoch: 1)])
        #expect(member.acquired(1, epoch: 1, by: 3, at: .milliseconds(20)) == [.begin(1, epoch: 1)])
        return member
    }

    private func roll(live: Set<String>, _ owner: String? = nil, epoch: Int = 0) -> ClusterRoll {
        ClusterRoll(live: live, titles: Array(repeating: .init(owner: owner, epoch: epoch), count: 2))
    }

    @Test func `a member that is alone acquires everything`() {
        #expect(alone().owned(at: .milliseconds(20)) == [0: 1, 1: 1])
    }

    @Test func `a member that slept through its lease drops what it has`() {
        var member = alone()
        #expect(member.owned(at: times.belief) == [:])
        #expect(
            member.tick(.seconds(4)) == [.abandon(0), .abandon(1), .renew(call: 4)])
        #expect(member.isIdle)
    }

    @Test func `it acquires anew what nobody took meanwhile, under a higher epoch`() {
        var member = alone()
        _ = member.tick(.seconds(4))
        #expect(
            member.renewed(roll(live: ["a"], "a", epoch: 1), by: 4, at: .seconds(4))
                == [.acquire(0, after: 1, call: 5), .acquire(1, after: 1, call: 6)])
    }

    @Test func `what another one has acquired is dropped`() {
        var member = alone()
        #expect(member.tick(.seconds(1)) == [.renew(call: 4)])
        let orders = member.renewed(roll(live: ["a"], "b", epoch: 2), by: 4, at: .seconds(1))
        #expect(orders.prefix(2) == [.abandon(0), .abandon(1)])
    }

    @Test func `a member that leaves hands over all partitions at once, each after its checkpoint`() {
        var member = alone()
        #expect(member.leave(at: .milliseconds(30)) == [.finish(0), .finish(1)])
        #expect(member.owned(at: .milliseconds(30)) == [0: 1, 1: 1])
        #expect(member.finished(0, at: .milliseconds(40)) == [.release(0, epoch: 1, call: 4)])
        #expect(member.owned(at: .milliseconds(40)) == [1: 1])
        #expect(member.finished(1, at: .milliseconds(50)) == [.release(1, epoch: 1, call: 5)])
        #expect(member.released(0, by: 4, at: .milliseconds(60)) == [])
        #expect(member.released(1, by: 5, at: .milliseconds(70)) == [])
        #expect(member.isIdle)
    }

    @Test func `a member that stays hands over one of each 64 partitions at the same time`() {
        let count = 128
        var member = ClusterMember(name: "a", partitions: count, times: times)
        let titles = Array(repeating: ClusterRoll.Title(), count: count)
        var orders = member.tick(.zero)
        orders = member.renewed(ClusterRoll(live: ["a"], titles: titles), by: 1, at: .zero)
        var running = 0
        while let order = orders.popLast() {
            if case .acquire(let partition, after: _, let call) = order {
                orders += member.acquired(partition, epoch: 1, by: call, at: .zero)
                running += 1
            }
        }
        #expect(running == count)
        #expect(member.ownedCount(at: .zero) == count)
        #expect(member.isSettled)
        let now = times.renewal
        guard case .renew(let call)? = member.tick(now).first else {
            Issue.record("the lease is not renewed")
            return
        }
        let own = ClusterRoll(
            live: ["a"], titles: Array(repeating: .init(owner: "a", epoch: 1), count: count), draining: ["a"])
        #expect(member.renewed(own, by: call, at: now) == [.finish(0), .finish(1)])
        guard case .release(0, epoch: 1, let release)? = member.finished(0, at: now).first else {
            Issue.record("the partition is not given back")
            return
        }
        #expect(member.released(0, by: release, at: now) == [.finish(2)])
        #expect(!member.isSettled)
        #expect(member.epoch(of: 0, at: now) == nil)
        #expect(member.epoch(of: 5, at: now) == 1)
        #expect(member.epoch(of: 5, at: member.deadline) == nil)
    }

    @Test func `an answer to a call that was given up counts no more`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        _ = member.tick(.zero)
        _ = member.tick(times.patience)
        #expect(member.renewed(roll(live: ["a"]), by: 1, at: times.patience) == [])
        #expect(member.deadline == .zero)
    }

    @Test func `a lease counts from the moment of asking`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        _ = member.tick(.zero)
        _ = member.renewed(roll(live: ["a"]), by: 1, at: .milliseconds(900))
        #expect(member.deadline == times.belief)
    }

    @Test func `a member that drains hands everything over, also when nobody takes it`() {
        var member = alone()
        #expect(member.tick(.seconds(1)) == [.renew(call: 4)])
        var told = roll(live: ["a"], "a", epoch: 1)
        told.draining = ["a"]
        #expect(member.renewed(told, by: 4, at: .seconds(1)) == [.finish(0)])
        #expect(member.finished(0, at: .seconds(1)) == [.release(0, epoch: 1, call: 5)])
        #expect(member.released(0, by: 5, at: .seconds(1)) == [.finish(1)])
        #expect(member.finished(1, at: .seconds(1)) == [.release(1, epoch: 1, call: 6)])
        #expect(member.released(1, by: 6, at: .seconds(1)) == [])
        #expect(member.isIdle)
    }

    @Test func `a member that drains no more acquires what falls to it`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        _ = member.tick(.zero)
        var told = roll(live: ["a"])
        told.draining = ["a"]
        #expect(member.renewed(told, by: 1, at: .zero) == [])
        _ = member.tick(.seconds(1))
        #expect(
            member.renewed(roll(live: ["a"]), by: 2, at: .seconds(1))
                == [.acquire(0, after: 0, call: 3), .acquire(1, after: 0, call: 4)])
    }

    @Test func `a member that was started anew acquires what its name owns, at once`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        _ = member.tick(.zero)
        #expect(
            member.renewed(roll(live: ["a"], "a", epoch: 7), by: 1, at: .zero)
                == [.acquire(0, after: 7, call: 2), .acquire(1, after: 7, call: 3)])
    }
}
