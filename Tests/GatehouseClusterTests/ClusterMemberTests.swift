// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

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

    @Test func `it drops everything when told to, and acquires it again within the same lease`() {
        var member = alone()
        #expect(member.dropAll() == [.abandon(0), .abandon(1)])
        #expect(member.isIdle)
        #expect(member.dropAll() == [])
        #expect(
            member.tick(.milliseconds(30))
                == [.acquire(0, after: 1, call: 4), .acquire(1, after: 1, call: 5)])
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

    @Test func `a member that stays hands over one of each eight partitions at the same time`() {
        let count = 16
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

    @Test func `of many partitions that come and go, as many are under way as may be`() {
        let count = 64
        var member = ClusterMember(name: "a", partitions: count, times: times)
        _ = member.tick(.zero)
        let free = ClusterRoll(live: ["a"], titles: Array(repeating: .init(), count: count))
        var orders = member.renewed(free, by: 1, at: .zero)
        #expect(orders.count == 16)
        // Those that answer are followed by others, in their order, until all are there.
        var acquired: [Int] = []
        while !orders.isEmpty {
            guard case .acquire(let partition, after: 0, let call) = orders.removeFirst() else { continue }
            acquired.append(partition)
            orders += member.acquired(partition, epoch: 1, by: call, at: .zero)
        }
        #expect(acquired == Array(0..<count))
        #expect(member.isSettled)
        // Another one takes half of them: they go while none comes, an eighth of those that must at a time.
        _ = member.tick(.seconds(1))
        let own = ClusterRoll(
            live: ["a", "b"], titles: Array(repeating: .init(owner: "a", epoch: 1), count: count))
        orders = member.renewed(own, by: 66, at: .seconds(1))
        var released = 0
        while !orders.isEmpty {
            switch orders.removeFirst() {
            case .finish(let partition): orders += member.finished(partition, at: .seconds(1))
            case .release(let partition, epoch: 1, let call):
                released += 1
                orders += member.released(partition, by: call, at: .seconds(1))
            default: break
            }
        }
        #expect(released == count - member.intendedCount)
        #expect(member.ownedCount(at: .seconds(1)) == member.intendedCount)
        #expect(member.isSettled)
    }

    @Test func `a member makes the instances of a partition before it acquires it, while another one has it`()
    {
        var member = ClusterMember(name: "a", partitions: 2, times: times, preparesAhead: true)
        _ = member.tick(.zero)
        // "b" will drain, and still has both.
        var told = roll(live: ["a", "b"], "b", epoch: 4)
        told.draining = ["b"]
        #expect(member.renewed(told, by: 1, at: .zero) == [.prepare(0), .prepare(1)])
        member.prepared(0)
        #expect(member.tick(.zero) == [], "its owner is alive")
        _ = member.tick(.seconds(1))
        told.titles[0] = .init(owner: nil, epoch: 4)
        #expect(member.renewed(told, by: 2, at: .seconds(1)) == [.acquire(0, after: 4, call: 3)])
        #expect(member.acquired(0, epoch: 5, by: 3, at: .seconds(1)) == [.begin(0, epoch: 5)])
        told.titles = [.init(owner: "a", epoch: 5), .init(owner: nil, epoch: 4)]
        _ = member.tick(.milliseconds(1_500))
        #expect(member.renewed(told, by: 4, at: .milliseconds(1_500)) == [])
        member.prepared(1)
        #expect(member.tick(.milliseconds(1_500)) == [.acquire(1, after: 4, call: 5)])
        // After another plan, everything is made again before it is acquired.
        #expect(member.loadAgain(at: .milliseconds(1_600)) == [.discard([1]), .finish(0)])
    }

    @Test func `what is made for partitions that fall to others is dropped`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times, preparesAhead: true)
        _ = member.tick(.zero)
        var told = roll(live: ["a", "b"], "b", epoch: 4)
        told.draining = ["b"]
        #expect(member.renewed(told, by: 1, at: .zero) == [.prepare(0), .prepare(1)])
        member.prepared(1)
        _ = member.tick(.seconds(1))
        told.draining = ["a"]
        #expect(member.renewed(told, by: 2, at: .seconds(1)) == [.discard([0, 1])])
        member.prepared(0)
        #expect(member.tick(.seconds(1)) == [])
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

    // MARK: - Times

    @Test func `all times follow from the lease`() {
        let times = ClusterMember.Times(lease: .seconds(30))
        #expect(times.lease == .seconds(30))
        #expect(times.renewal == .seconds(10))
        #expect(times.haste == .seconds(2))
        #expect(times.patience == .seconds(10))
        #expect(times.belief == .seconds(27))
    }

    @Test func `a partition may be written until the deadline, and not at it`() {
        var member = alone()
        let last = times.belief - .nanoseconds(1)
        #expect(member.deadline == times.belief)
        #expect(member.ownedCount(at: last) == 2)
        #expect(member.owned(at: last) == [0: 1, 1: 1])
        #expect(member.epoch(of: 1, at: last) == 1)
        #expect(!member.hasLapsed(at: last))
        #expect(member.ownedCount(at: times.belief) == 0)
        #expect(member.owned(at: times.belief) == [:])
        #expect(member.epoch(of: 1, at: times.belief) == nil)
        #expect(member.hasLapsed(at: times.belief))
        #expect(member.tick(times.belief) == [.abandon(0), .abandon(1), .renew(call: 4)])
        #expect(!member.hasLapsed(at: times.belief))
        #expect(member.isIdle)
    }

    @Test func `a settled member renews after a third of its lease, and a moving one sooner`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        #expect(member.isSettled)
        #expect(member.isIdle)
        #expect(member.wake(after: .zero) == .zero)
        #expect(member.tick(.zero) == [.renew(call: 1)])
        #expect(member.tick(.zero) == [])
        // Until the answer only the call's patience ends.
        #expect(member.wake(after: .zero) == times.patience)
        _ = member.renewed(roll(live: ["a"]), by: 1, at: .milliseconds(10))
        #expect(!member.isSettled)
        #expect(!member.isIdle)
        #expect(member.wake(after: .milliseconds(10)) == times.haste)
        #expect(member.tick(times.haste - .nanoseconds(1)) == [])
        #expect(member.tick(times.haste) == [.renew(call: 4)])
        _ = member.acquired(0, epoch: 1, by: 2, at: times.haste)
        #expect(!member.isSettled)
        _ = member.acquired(1, epoch: 1, by: 3, at: times.haste)
        #expect(member.isSettled)
        let later = times.haste + .milliseconds(10)
        #expect(member.renewed(roll(live: ["a"], "a", epoch: 1), by: 4, at: later) == [])
        #expect(member.isSettled)
        #expect(member.deadline == times.haste + times.belief)
        #expect(member.wake(after: later) == times.haste + times.renewal)
        #expect(member.tick(times.haste + times.renewal - .nanoseconds(1)) == [])
        #expect(member.tick(times.haste + times.renewal) == [.renew(call: 5)])
        #expect(member.wake(after: .seconds(9)) == .seconds(9))
    }

    @Test func `a call without an answer is given up when patience ends, and made again`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        _ = member.tick(.zero)
        #expect(member.tick(times.patience - .nanoseconds(1)) == [])
        #expect(member.tick(times.patience) == [.renew(call: 2)])
        #expect(
            member.renewed(roll(live: ["a"]), by: 2, at: times.patience)
                == [.acquire(0, after: 0, call: 3), .acquire(1, after: 0, call: 4)])
        // The acquisitions are given up with the renewal that was made since.
        let asked = times.patience + times.haste
        #expect(member.tick(asked) == [.renew(call: 5)])
        let end = times.patience * 2
        #expect(
            member.tick(end) == [.acquire(0, after: 0, call: 6), .acquire(1, after: 0, call: 7)])
        #expect(member.acquired(0, epoch: 1, by: 3, at: end) == [])
        #expect(member.tick(end + times.haste) == [.renew(call: 8)])
    }

    @Test func `a renewal that failed is made again when the next one is due, and its answer counts no more`()
    {
        var member = alone()
        #expect(member.tick(times.renewal) == [.renew(call: 4)])
        member.failed(4)
        #expect(member.tick(times.renewal) == [])
        #expect(member.tick(times.renewal * 2) == [.renew(call: 5)])
        #expect(member.renewed(roll(live: ["a"], "b", epoch: 2), by: 4, at: times.renewal * 2) == [])
        #expect(member.ownedCount(at: times.renewal * 2) == 2)
        member.failed(9)
        #expect(member.tick(times.renewal * 2) == [])
    }

    @Test func `a deadline never goes back`() {
        var member = alone()
        _ = member.tick(times.renewal)
        let own = roll(live: ["a"], "a", epoch: 1)
        _ = member.renewed(own, by: 4, at: times.renewal)
        #expect(member.deadline == times.renewal + times.belief)
        _ = member.tick(times.renewal * 2)
        #expect(member.renewed(own, by: 5, at: times.renewal * 2) == [])
        #expect(member.deadline == times.renewal * 2 + times.belief)
    }

    // MARK: - Answers

    @Test func `an acquisition is answered once, and by its own call`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        _ = member.tick(.zero)
        _ = member.renewed(roll(live: ["a"]), by: 1, at: .zero)
        #expect(member.acquired(1, epoch: 5, by: 2, at: .zero) == [])
        #expect(member.owned(at: .zero) == [:])
        #expect(member.acquired(0, epoch: 5, by: 2, at: .zero) == [])
        #expect(member.acquired(1, epoch: 5, by: 3, at: .zero) == [.begin(1, epoch: 5)])
        #expect(member.acquired(1, epoch: 6, by: 3, at: .zero) == [])
        #expect(member.owned(at: .zero) == [1: 5])
    }

    @Test func `a refused partition is asked for again where its owner is gone, and else with the next roll`()
    {
        for (title, again) in [
            (ClusterRoll.Title(owner: nil, epoch: 4), true), (.init(owner: "a", epoch: 4), true),
            (.init(owner: "b", epoch: 4), false),
        ] {
            var member = ClusterMember(name: "a", partitions: 2, times: times)
            _ = member.tick(.zero)
            _ = member.renewed(roll(live: ["a"]), by: 1, at: .zero)
            _ = member.acquired(1, epoch: 1, by: 3, at: .zero)
            let orders = member.refused(0, title: title, by: 2, at: .zero)
            #expect(orders == (again ? [.acquire(0, after: 4, call: 4)] : []))
            #expect(!member.isSettled)
            #expect(member.refused(0, title: .init(owner: nil, epoch: 9), by: 2, at: .zero) == [])
            #expect(member.owned(at: .zero) == [1: 1])
        }
    }

    @Test func `a partition that a living member has is waited for`() {
        var member = ClusterMember(name: "a", partitions: 1, times: times)
        _ = member.tick(.zero)
        var told = ClusterRoll(
            live: ["a", "b"], titles: [.init(owner: "b", epoch: 3)], draining: ["b"])
        #expect(member.renewed(told, by: 1, at: .zero) == [])
        #expect(!member.isSettled)
        _ = member.tick(times.haste)
        // Of the same members, but released.
        told.titles = [.init(owner: nil, epoch: 3)]
        #expect(member.renewed(told, by: 2, at: times.haste) == [.acquire(0, after: 3, call: 3)])
        #expect(member.refused(0, title: .init(owner: "b", epoch: 4), by: 3, at: times.haste) == [])
        _ = member.tick(times.haste * 2)
        told.live = ["a"]
        told.titles = [.init(owner: "b", epoch: 4)]
        #expect(member.renewed(told, by: 4, at: times.haste * 2) == [.acquire(0, after: 4, call: 5)])
    }

    @Test
    func `what the engine says the member has, and it has not, is released where others should have it`() {
        var member = ClusterMember(name: "a", partitions: 2, times: times)
        _ = member.tick(.zero)
        var told = roll(live: ["a"], "a", epoch: 7)
        told.draining = ["a"]
        #expect(
            member.renewed(told, by: 1, at: .zero)
                == [.release(0, epoch: 7, call: 2), .release(1, epoch: 7, call: 3)])
        #expect(!member.isSettled)
        #expect(!member.isIdle)
        #expect(member.owned(at: .zero) == [:])
        #expect(member.released(1, by: 2, at: .zero) == [])
        #expect(member.released(1, by: 3, at: .zero) == [])
        #expect(member.released(1, by: 3, at: .zero) == [])
        member.failed(2)
        #expect(member.tick(times.haste) == [.renew(call: 4), .release(0, epoch: 7, call: 5)])
        told.titles[1] = .init(owner: nil, epoch: 7)
        #expect(member.renewed(told, by: 4, at: times.haste) == [])
        #expect(member.released(0, by: 5, at: times.haste) == [])
        #expect(member.isSettled)
        #expect(member.isIdle)
    }

    @Test func `a member that lost a partition forgets it, and not one of another epoch`() {
        var member = alone()
        member.fenced(0, epoch: 2)
        #expect(member.owned(at: .zero) == [0: 1, 1: 1])
        member.fenced(0, epoch: 1)
        #expect(member.owned(at: .zero) == [1: 1])
        #expect(!member.isSettled)
        // The engine still calls it the owner under that epoch: nobody else has acquired it.
        #expect(member.tick(times.haste) == [.renew(call: 4), .acquire(0, after: 1, call: 5)])
    }

    @Test func `what is loaded again is finished, released and acquired again`() {
        var member = alone()
        #expect(member.loadAgain(at: .zero) == [.finish(0), .finish(1)])
        #expect(member.loadAgain(at: .zero) == [])
        #expect(!member.isSettled)
        #expect(member.owned(at: .zero) == [0: 1, 1: 1])
        #expect(member.finished(0, at: .zero) == [.release(0, epoch: 1, call: 4)])
        #expect(member.finished(0, at: .zero) == [])
        #expect(member.released(0, by: 4, at: .zero) == [.acquire(0, after: 1, call: 5)])
        #expect(member.acquired(0, epoch: 2, by: 5, at: .zero) == [.begin(0, epoch: 2)])
        #expect(member.owned(at: .zero) == [0: 2, 1: 1])
    }

    @Test func `only what differs from the roll is dropped`() {
        var member = alone()
        _ = member.tick(times.renewal)
        var told = roll(live: ["a"], "a", epoch: 1)
        told.titles[1] = .init(owner: "a", epoch: 2)
        #expect(
            member.renewed(told, by: 4, at: times.renewal)
                == [.abandon(1), .acquire(1, after: 2, call: 5)])
        #expect(member.owned(at: times.renewal) == [0: 1])
    }

    @Test func `partitions go to those that should have them, when others come and go`() {
        let count = 8
        let titles = Array(repeating: ClusterRoll.Title(owner: "a", epoch: 1), count: count)
        let owners = Rendezvous.owners(of: count, among: ["a", "b"])
        let others = (0..<count).filter { owners[$0] == "b" }
        var member = ClusterMember(name: "a", partitions: count, times: times)
        _ = member.tick(.zero)
        for order in member.renewed(ClusterRoll(live: ["a"], titles: titles), by: 1, at: .zero) {
            guard case .acquire(let partition, after: 1, let call) = order else { continue }
            _ = member.acquired(partition, epoch: 2, by: call, at: .zero)
        }
        #expect(member.isSettled)
        let owned = Array(repeating: ClusterRoll.Title(owner: "a", epoch: 2), count: count)
        guard case .renew(let call)? = member.tick(times.renewal).first else { return }
        let orders = member.renewed(
            ClusterRoll(live: ["a", "b"], titles: owned), by: call, at: times.renewal)
        #expect(orders == [.finish(others[0])])
        guard case .renew(let next)? = member.tick(times.renewal * 2).first else { return }
        // The other one is gone: what has begun to go still goes, and nothing else.
        #expect(
            member.renewed(ClusterRoll(live: ["a"], titles: owned), by: next, at: times.renewal * 2) == [])
        #expect(member.ownedCount(at: times.renewal * 2) == count)
    }

    // MARK: - Many at a time

    @Test func `sixteen partitions are acquired at a time, the next with each answer`() {
        let titles = Array(repeating: ClusterRoll.Title(), count: 20)
        var member = ClusterMember(name: "a", partitions: 20, times: times)
        _ = member.tick(.zero)
        let orders = member.renewed(ClusterRoll(live: ["a"], titles: titles), by: 1, at: .zero)
        #expect(orders == (0..<16).map { .acquire($0, after: 0, call: $0 + 2) })
        #expect(member.tick(.milliseconds(1)) == [])
        #expect(
            member.acquired(3, epoch: 1, by: 5, at: .zero)
                == [.begin(3, epoch: 1), .acquire(16, after: 0, call: 18)])
        #expect(
            member.refused(4, title: .init(owner: nil, epoch: 2), by: 6, at: .zero)
                == [.acquire(4, after: 2, call: 19)])
    }

    @Test func `no more are acquired at a time where the instances of all are made`() {
        let titles = Array(repeating: ClusterRoll.Title(), count: 20)
        var member = ClusterMember(name: "a", partitions: 20, times: times, preparesAhead: true)
        _ = member.tick(.zero)
        let orders = member.renewed(ClusterRoll(live: ["a"], titles: titles), by: 1, at: .zero)
        #expect(orders == (0..<20).map { .prepare($0) })
        for partition in 0..<20 { member.prepared(partition) }
        #expect(member.tick(.zero) == (0..<16).map { .acquire($0, after: 0, call: $0 + 2) })
    }

    @Test func `as many partitions are handed over at a time as there are eighths, at least one`() {
        for (count, atOnce) in [(1, 1), (8, 1), (15, 1), (16, 2), (64, 8), (192, 24)] {
            var member = ClusterMember(name: "a", partitions: count, times: times)
            _ = member.tick(.zero)
            var orders = member.renewed(
                ClusterRoll(live: ["a"], titles: Array(repeating: .init(), count: count)), by: 1, at: .zero)
            while let order = orders.popLast() {
                guard case .acquire(let partition, after: _, let call) = order else { continue }
                orders += member.acquired(partition, epoch: 1, by: call, at: .zero)
            }
            guard case .renew(let call)? = member.tick(times.renewal).first else { continue }
            let own = ClusterRoll(
                live: ["a"], titles: Array(repeating: .init(owner: "a", epoch: 1), count: count),
                draining: ["a"])
            #expect(
                member.renewed(own, by: call, at: times.renewal) == (0..<atOnce).map { .finish($0) })
            #expect(member.leave(at: times.renewal) == (atOnce..<count).map { .finish($0) })
        }
    }

    @Test func `without a lease nothing is moved`() {
        var member = alone()
        #expect(member.leave(at: times.belief) == [])
        #expect(member.tick(times.belief) == [.abandon(0), .abandon(1), .renew(call: 4)])
    }
}
