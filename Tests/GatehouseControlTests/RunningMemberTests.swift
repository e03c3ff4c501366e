// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseCluster
import GatehouseHostTesting
import GatehouseJournal
import GatehouseManifest
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseControl
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The partitions of a member under control.
@Suite(.timeLimit(.minutes(10))) struct RunningMemberTests {
    /// A cluster of one partition, which comes and goes as a test says.
    private final class Cluster: ControlCluster {
        private let tell = Mutex<(@Sendable (Int, PartitionChange) -> Void)?>(nil)

        var account: ClusterAccount {
            var account = ClusterAccount()
            (account.member, account.partitions) = ("a", 1)
            return account
        }

        let instances: [(id: String, isInPartitions: Bool)]
        let onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? = nil

        init(_ instances: [(id: String, isInPartitions: Bool)] = []) { self.instances = instances }

        func follow(_ tell: @escaping @Sendable (Int, PartitionChange) -> Void) {
            self.tell.withLock { $0 = tell }
        }

        /// Tells what becomes of the partition.
        func change(_ change: PartitionChange) { tell.withLock { $0 }?(0, change) }

        /// Says that a call is none of those.
        private func unasked(_ call: String = #function) -> ControlError {
            .refused("nobody asks for \(call) here")
        }

        func survey() async throws(ControlError) -> ClusterSurvey { throw unasked() }
        func drain(_ member: String, _ isDraining: Bool) async throws(ControlError) { throw unasked() }
        func reload() async throws(ControlError) -> Int { throw unasked() }
        func isForPartition(_ action: AnyAction) -> Bool { action.type.name.hasPrefix("mail/") }
        func append(_ actions: [AnyAction]) async throws(ControlError) { throw unasked() }
        func appendToAll(_ action: AnyAction) async throws(ControlError) { throw unasked() }
    }

    /// A host without instances.
    private static func host() throws -> Host {
        Host(
            try Assembly(
                linking: [],
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { _ in })),
            reports: Reporter { _ in })
    }

    /// What a watcher was told.
    private func told(_ watcher: WatchSubscription) -> String {
        String(decoding: watcher.take().lines, as: UTF8.self)
    }

    @Test func `a watch that a partition did not take in time is none`() async throws {
        let (cluster, partition) = (Cluster(), try Self.host())
        let member = RunningMember(
            try Self.host(), name: "shop", in: cluster, reloading: nil, upgrading: nil, past: nil,
            crashes: nil, patience: .seconds(3))
        let service = ControlService(member)
        member.begin(service)
        cluster.change(.came(partition.store))
        let filter = WatchFilter(pointers: [try JSONPointer("/partitions/0")])
        let (taken, late) = (WatchSubscription(filter) {}, WatchSubscription(filter) {})
        try await member.watch(taken)
        #expect(
            told(taken)
                == #"{"jsonrpc":"2.0","method":"watch","params":{"state":{"pointer":"/partitions/0","value":{}}}}"#
                + "\n")

        // The partition has no time for the other one.
        let free = DispatchSemaphore(value: 0)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let busy = try TestThread { [store = partition.store] in
            store.queue.withExclusiveAccess {
                begin.finish()
                free.wait()
            }
        }
        for await _ in begun {}
        await #expect(throws: ControlError.self) { try await member.watch(late) }
        free.signal()
        try await TestThread.value { try busy.join() }

        cluster.change(.gone(partition.counts))
        await EventLoop.run {}
        #expect(
            told(taken)
                == #"{"jsonrpc":"2.0","method":"watch","params":{"state":{"pointer":"/partitions/0"}}}"#
                + "\n")
        #expect(told(late) == "")
        withExtendedLifetime(service) {}
    }

    /// A member whose partitions have one instance, and the instance by which nothing may be changed.
    private static func member(of host: Host) -> (RunningMember, ControlCaller) {
        let member = RunningMember(
            host, name: "shop", in: Cluster([("mail", true)]), reloading: nil, upgrading: nil, past: nil,
            crashes: nil, patience: .seconds(60))
        return (member, ControlCaller(instance: "clerk") { "its gate is closed" })
    }

    @Test func `whoever may change nothing ends no pauses of an instance in partitions`() async throws {
        let host = try Self.host()
        let (member, clerk) = Self.member(of: host)
        let error = await #expect(throws: ControlError.self) {
            try await member.endPauses(of: "mail", for: clerk)
        }
        #expect(error?.message == "its gate is closed")
        #expect(try await member.endPauses(of: "mail", for: .client) == 0)
        withExtendedLifetime(host) {}
    }

    @Test func `whoever may change nothing dispatches nothing to a partition`() async throws {
        let host = try Self.host()
        let (member, clerk) = Self.member(of: host)
        let error = await #expect(throws: ControlError.self) {
            try await member.dispatch([AnyAction("mail/send")], for: clerk)
        }
        #expect(error?.message == "its gate is closed")
        withExtendedLifetime(host) {}
    }

    @Test func `whoever may change nothing dispatches no dead letter to a partition again`() async throws {
        let host = try Self.host()
        let (member, clerk) = Self.member(of: host)
        let letter = DeadLetter(
            .failed, type: "mail/send", action: Array("{}".utf8), from: nil, instance: nil, time: 0,
            reason: "it failed")
        let error = await #expect(throws: ControlError.self) {
            try await member.redispatch(AnyAction("mail/send"), of: letter, for: clerk)
        }
        #expect(error?.message == "its gate is closed")
        withExtendedLifetime(host) {}
    }

    @Test func `whoever may change nothing moves no gate of an instance in partitions`() async throws {
        let host = try Self.host()
        let (member, clerk) = Self.member(of: host)
        let error = await #expect(throws: ControlError.self) {
            try await member.moveGate(of: "mail", to: .bypass, for: clerk)
        }
        #expect(error?.message == "its gate is closed")
        withExtendedLifetime(host) {}
    }
}
