// SPDX-License-Identifier: Apache-2.0

import CLinux
import GatehouseRuntimeTesting
import GatehouseSDK
import Glibc
import Testing

@testable import GatehouseRuntime

/// What the flight recorder says of the partitions of a member.
@Suite(.timeLimit(.minutes(10))) struct FlightRecorderPartitionsTests {
    /// Where a partition's action comes from.
    private let source = ActionSource(file: "shop/3", function: "", line: 9, info: nil)

    /// A flight recorder with an instance in two partitions, of which each has begun an action.
    private func partitions() throws -> (
        seen: FlightRecorder, three: RunProgress, four: RunProgress, instance: Int
    ) {
        let flightRecorder = try FlightRecorderPair()
        let (three, four) = (
            RunProgress(in: flightRecorder.own, partition: 3),
            RunProgress(in: flightRecorder.own, partition: 4)
        )
        let number = flightRecorder.own.enter("eu", plugin: "orders", digest: nil, isInPartition: true)
        flightRecorder.own.know("orders/placed")
        three.begin(7, "orders/placed", from: source)
        four.begin(8, "orders/placed", from: source)
        return (flightRecorder.seen, three, four, number)
    }

    // MARK: - Drains

    @Test func `what a partition does is told with its number, and that it is not the store of the host`()
        throws
    {
        let (seen, three, _, instance) = try partitions()
        FlightRecorderPair.enter(three, instance, .handle)
        let activity = try #require(seen.activity)
        #expect(
            activity.sentence
                == "the plugin orders (instance eu) in partition 3 is in its middleware, with the action orders/placed (number 7)"
        )
        #expect(activity.store == .partition(3))
        #expect(activity.blame == .record && activity.type == "orders/placed" && activity.input == nil)
        three.leave()
        #expect(seen.activity == nil && seen.calls == [])
    }

    @Test func `of several drains at work none is named, but each is seen`() throws {
        let (seen, three, four, instance) = try partitions()
        FlightRecorderPair.enter(three, instance, .reduce)
        FlightRecorderPair.enter(four, instance, .reduce)
        #expect(seen.activity == nil && seen.lastActivity == nil)
        #expect(seen.calls.map(\.partition) == [3, 4])
        #expect(
            seen.calls.map { seen.activity(of: $0, isOver: true)?.sentence } == [
                "the plugin orders (instance eu) in partition 3 was in its reducer, with the action orders/placed (number 7)",
                "the plugin orders (instance eu) in partition 4 was in its reducer, with the action orders/placed (number 8)",
            ])
        let suspect = try #require(seen.suspect)
        #expect(suspect.sentence == "only the plugin orders had work to do")
        #expect(suspect.store == .partition(nil))
    }

    @Test func `a thread is found by the drain that it works, also where it has others`() throws {
        let (_, three, four, instance) = try partitions()
        three.take()
        four.take()
        #expect(three.flightRecorder.instanceHere == nil)
        FlightRecorderPair.enter(four, instance, .handle)
        #expect(three.flightRecorder.instanceHere == "eu in partition 4")
        four.leave()
        let front = RunProgress(in: three.flightRecorder)
        let web = three.flightRecorder.enter("web", plugin: "http", digest: nil)
        front.take()
        FlightRecorderPair.enter(front, web, .handle)
        #expect(three.flightRecorder.instanceHere == "web")
    }

    @Test func `the record of a partition that has gone is given to the next, as if nothing had happened`()
        throws
    {
        let flightRecorder = try FlightRecorderPair()
        let number = flightRecorder.own.enter("eu", plugin: "orders", digest: nil, isInPartition: true)
        var gone: RunProgress? = RunProgress(in: flightRecorder.own, partition: 3)
        _ = gone?.countAction()
        gone?.begin(7, "orders/placed", from: source)
        _ = gone?.beginEffect(of: UInt64(number), after: 7)
        if let gone { FlightRecorderPair.enter(gone, number, .handle) }
        gone = nil
        #expect(flightRecorder.seen.calls == [] && flightRecorder.seen.suspect == nil)
        let next = RunProgress(in: flightRecorder.own, partition: 5)
        #expect(next.actions == 0 && next.work == 0 && flightRecorder.seen.suspect == nil)
        FlightRecorderPair.enter(next, number, .handle)
        #expect(
            flightRecorder.seen.activity?.sentence
                == "the plugin orders (instance eu) in partition 5 is in its middleware")
    }

    @Test func `beyond 1,024 partitions nothing is known, and nobody is suspected`() throws {
        let flightRecorder = try FlightRecorderPair()
        let number = flightRecorder.own.enter("eu", plugin: "orders", digest: nil, isInPartition: true)
        var all = (0..<1_025).map { RunProgress(in: flightRecorder.own, partition: $0) }
        FlightRecorderPair.enter(all[1_023], number, .start)
        #expect(flightRecorder.seen.activity?.store == .partition(1_023))
        // It may have been the one that is not known.
        #expect(flightRecorder.seen.suspect == nil)
        FlightRecorderPair.enter(all[1_024], number, .start)
        #expect(all[1_024].numberInHand == number)
        #expect(flightRecorder.seen.calls.map(\.partition) == [1_023])
        all.removeLast()
        #expect(flightRecorder.seen.suspect?.store == .partition(1_023))
    }

    @Test func `a flight recorder without room for partitions works all the same, and knows nothing of them`()
    {
        let progress = RunProgress(in: FlightRecorder(), partition: 3)
        let number = progress.flightRecorder.enter("eu", plugin: "orders", digest: nil, isInPartition: true)
        #expect(progress.countAction() == 1)
        FlightRecorderPair.enter(progress, number, .start)
        #expect(progress.numberInHand == number && progress.flightRecorder.activity == nil)
    }

    @Test func `only what is written of a flight recorder takes room`() throws {
        let file = unsafe gatehouse_memfd_create("box")
        defer { close(file) }
        try #require(file >= 0 && ftruncate(file, off_t(FlightRecorder.byteCount)) == 0)
        let flightRecorder = FlightRecorder(in: file)
        let progress = RunProgress(in: flightRecorder, partition: 3)
        progress.begin(1, "orders/placed", from: source)
        var status = stat()
        #expect(unsafe fstat(file, &status) == 0)
        #expect(status.st_size > 64 << 20)
        #expect(status.st_blocks * 512 < 1 << 20)
    }

    @Test
    func
        `a record in which little has happened takes a page, and one beyond the flight recorder hardly anything`()
        throws
    {
        let file = unsafe gatehouse_memfd_create("box")
        defer { close(file) }
        try #require(file >= 0 && ftruncate(file, off_t(FlightRecorder.byteCount)) == 0)
        let flightRecorder = FlightRecorder(in: file)
        let all = (0..<1_024).map { RunProgress(in: flightRecorder, partition: $0) }
        for progress in all { progress.begin(1, "orders/placed", from: source) }
        var status = stat()
        #expect(unsafe fstat(file, &status) == 0)
        // A few of the pages hold the ends of two records.
        #expect(status.st_blocks * 512 < 6 << 20)

        let beyond = RunProgress(in: flightRecorder, partition: 1_024)
        #expect(beyond.beginEffect(of: 1, after: 0) == 0, "it has no table of effects")
        for number in 1...2_000 as ClosedRange<UInt64> { beyond.begin(number, "orders/placed", from: source) }
        beyond.beginInterception("orders/placed", from: source, input: nil)
        beyond.endEffect(at: 0)
        var after = stat()
        #expect(unsafe fstat(file, &after) == 0)
        #expect(after.st_blocks == status.st_blocks)
        withExtendedLifetime(all) {}
    }

    // MARK: - Effects

    @Test func `the only effect of all partitions is named with its own`() throws {
        let (seen, three, four, instance) = try partitions()
        let effect = three.beginEffect(of: UInt64(instance), after: 7)
        let suspect = try #require(seen.suspect)
        #expect(
            suspect.sentence
                == "the plugin orders (instance eu) in partition 3 was in an effect, begun by the action orders/placed (number 7)"
        )
        #expect(suspect.store == .partition(3) && suspect.step == .effect)
        let other = four.beginEffect(of: UInt64(instance), after: 8)
        #expect(seen.suspect?.sentence == "only the plugin orders had work to do")
        three.endEffect(at: effect)
        #expect(seen.suspect?.store == .partition(4))
        four.endEffect(at: other)
        #expect(seen.suspect == nil)
    }

    // MARK: - Names

    @Test func `the same instance of several partitions has one number, until the last one has gone`() {
        let flightRecorder = FlightRecorder()
        let first = flightRecorder.enter("eu", plugin: "orders", digest: nil, isInPartition: true)
        for _ in 0..<5_000 {
            #expect(flightRecorder.enter("eu", plugin: "orders", digest: nil, isInPartition: true) == first)
        }
        #expect(flightRecorder.enter("us", plugin: "orders", digest: nil, isInPartition: true) == first + 1)
        for _ in 0..<5_000 { flightRecorder.leave(first) }
        #expect(flightRecorder.id(of: first) == "eu")
        flightRecorder.leave(first)
        #expect(flightRecorder.id(of: first) == nil)
        #expect(flightRecorder.enter("ca", plugin: "orders", digest: nil) == first)
        #expect(flightRecorder.id(of: first) == "ca")
    }

    // MARK: - Sentences

    /// The sentence about a death in a store that is not known for sure.
    private func sentence(_ change: (inout gatehouse_account) -> Void) -> String? {
        var account = gatehouse_account()
        (account.signal, account.is_over) = (SIGILL, 1)
        unsafe withUnsafeMutableBytes(of: &account.plugin) { unsafe $0.copyBytes(from: "orders".utf8) }
        change(&account)
        return FlightRecord(account)?.sentence
    }

    @Test func `an effect that is known by the library alone is told with the partition that has begun it`() {
        #expect(
            sentence {
                $0.blame = UInt32(GATEHOUSE_BLAME_FRAMES)
                $0.step = GATEHOUSE_STEP_ASIDE.rawValue
                $0.store = UInt32(GATEHOUSE_STORE_PARTITION)
                $0.partition = 3
                $0.effects_count = 1
                $0.has_action = 1
                $0.sequence = 7
            }
                == "the plugin orders died by SIGILL in an effect or on a thread of its own; its only effect then, in partition 3, was begun by an action of some time ago (number 7)"
        )
    }

    @Test(arguments: [
        (1, "a partition for which the flight recorder has no room"),
        (3, "one of 3 partitions for which the flight recorder has no room"),
    ])
    func `where partitions have no record it is said that it may have been there`(
        count: UInt32, where place: String
    ) {
        #expect(
            sentence {
                $0.blame = UInt32(GATEHOUSE_BLAME_FRAMES)
                $0.step = GATEHOUSE_STEP_ASIDE.rawValue
                $0.store = UInt32(GATEHOUSE_STORE_SOME_PARTITION)
                $0.unlisted_partitions = count
            }
                == "the plugin orders died by SIGILL in an effect or on a thread of its own; it may have been in \(place)"
        )
        #expect(
            sentence { $0.unlisted_partitions = count }
                == "the process died by SIGILL outside of all known plugin code; it may have been in \(place)"
        )
    }
}
