// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

@testable import GatehouseCluster
@testable import GatehouseMember

/// A cluster of two partitions and one member, in the memory of a test.
final class MemoryCluster: Cluster {
    /// What is guarded by the lock.
    private struct State {
        /// The actions of each partition, from the first on.
        var actions: [Int: [(origin: ClusterOrigin?, action: [UInt8])]] = [:]
        /// How often the first action of each partition was tried before.
        var tries: [Int: Int] = [:]
        /// What was tried last, by partition.
        var tried: [Int: ClusterOffset] = [:]
        /// Partitions that somebody else has, and his titles.
        var others: [Int: ClusterRoll.Title] = [:]
        /// Whose the partitions are by what was acquired and released.
        var titles = [ClusterRoll.Title](repeating: .init(), count: 2)
        /// What stands against calls, by their names.
        var obstacles: [String: ClusterFailure] = [:]
        /// How many checkpoints each call has written.
        var together: [Int] = []
        /// How many wakes it takes until the next one who waits hears one; 0 when he hears all.
        var wakesNeeded = 0
        /// Whether somebody waits who does not hear all.
        var isDeaf = false
    }

    /// What the cluster has.
    private let state = Mutex(State())
    /// Signalled when somebody who reads is to look again.
    private let news = DispatchSemaphore(value: 0)
    /// Signalled when somebody hears a wake at last.
    private let heard = DispatchSemaphore(value: 0)
    /// Checkpoints as they are written.
    let checkpoints: AsyncStream<ClusterCheckpoint>
    private let write: AsyncStream<ClusterCheckpoint>.Continuation
    /// What becomes of partitions and the member, as it happens.
    let changes: AsyncStream<String>
    private let change: AsyncStream<String>.Continuation

    /// A cluster without actions.
    init() {
        (checkpoints, write) = AsyncStream.makeStream()
        (changes, change) = AsyncStream.makeStream()
    }

    /// The offset of an action of a partition, which count from 1.
    static func offset(_ number: Int) -> ClusterOffset { ClusterOffset(1, UInt64(number)) }

    /// Puts actions of a writer into a partition, of which the first was tried so often.
    func add(_ actions: String..., to partition: Int, from origin: ClusterOrigin? = nil, tries: Int = 0) {
        state.withLock { state in
            state.actions[partition, default: []] += actions.map { (origin, Array($0.utf8)) }
            state.tries[partition] = tries
        }
        news.signal()
    }

    /// Gives a partition to somebody else.
    func give(_ partition: Int, to title: ClusterRoll.Title) {
        state.withLock { $0.others[partition] = title }
    }

    /// Has a call fail from here on: `renew`, `wake` or `checkpoint`.
    func refuse(_ call: String, _ failure: ClusterFailure) { state.withLock { $0.obstacles[call] = failure } }

    /// Has the next one who waits for actions hear only the last of so many wakes; `changes` tell when he waits and hears it.
    func deafen(to wakes: Int) { state.withLock { $0.wakesNeeded = wakes } }

    /// Lets whoever reads look again.
    func wake() { news.signal() }

    /// Waits until there may be actions, for a time at most.
    fileprivate func wait(atMost time: Duration) {
        let isDeaf = state.withLock { state in
            state.isDeaf = state.wakesNeeded > 0
            return state.isDeaf
        }
        guard isDeaf else {
            _ = news.wait(timeout: .now() + .milliseconds(Int(time / .milliseconds(1))))
            return
        }
        tell("somebody waits")
        heard.wait()
        tell("somebody was woken")
    }

    /// Wakes whoever waits.
    fileprivate func rouse() {
        let called = state.withLock { state -> DispatchSemaphore? in
            guard state.isDeaf else { return news }
            state.wakesNeeded -= 1
            guard state.wakesNeeded == 0 else { return nil }
            state.isDeaf = false
            return heard
        }
        called?.signal()
    }

    var memory: ClusterMemory? { nil }
    var server: ClusterServer? { nil }

    func connect() throws(ClusterFailure) -> any ClusterEngine { MemoryEngine(self) }

    func halt(for failure: ClusterFailure, by member: String, at time: Int) throws(ClusterFailure) -> Bool {
        try allow("halt")
        tell("\(member) halts: \(failure)")
        return true
    }

    /// The actions of a partition after an offset.
    fileprivate func actions(of partition: Int, after offset: ClusterOffset) -> [CopiedEntry] {
        state.withLock { $0.actions[partition] ?? [] }.enumerated()
            .map { CopiedEntry(offset: Self.offset($0 + 1), origin: $1.origin, action: $1.action) }
            .filter { $0.offset > offset }
    }

    /// Counts a try.
    fileprivate func attempt(_ partition: Int, at offset: ClusterOffset) -> Int? {
        state.withLock { state in
            guard state.others[partition] == nil else { return nil }
            if let tried = state.tried[partition], tried != offset { state.tries[partition] = 0 }
            state.tried[partition] = offset
            state.tries[partition, default: 0] += 1
            return state.tries[partition]
        }
    }

    /// Changes whose a partition is.
    fileprivate func change(_ partition: Int, to title: ClusterRoll.Title, _ words: String) {
        state.withLock { $0.titles[partition] = title }
        tell(words)
    }

    /// Takes note of what the member does.
    fileprivate func tell(_ words: String) { change.yield(words) }

    /// Whose the partitions are.
    fileprivate var titles: [ClusterRoll.Title] { state.withLock { $0.titles } }

    /// Throws what stands against a call.
    fileprivate func allow(_ call: String) throws(ClusterFailure) {
        if let obstacle = state.withLock({ $0.obstacles[call] }) { throw obstacle }
    }

    /// How many checkpoints each call has written so far.
    var together: [Int] { state.withLock { $0.together } }

    /// Writes checkpoints, except of partitions that somebody else has.
    fileprivate func keep(_ checkpoints: [ClusterCheckpoint]) -> [ClusterRoll.Title?] {
        state.withLock { $0.together.append(checkpoints.count) }
        return checkpoints.map(keep)
    }

    /// Writes a checkpoint, unless somebody else has the partition.
    private func keep(_ checkpoint: ClusterCheckpoint) -> ClusterRoll.Title? {
        if let title = state.withLock({ $0.others[checkpoint.partition] }) { return title }
        write.yield(checkpoint)
        return nil
    }
}

/// A connection to such a cluster, which does what the thread of partitions asks for.
private final class MemoryEngine: ClusterEngine {
    private let cluster: MemoryCluster

    init(_ cluster: MemoryCluster) { self.cluster = cluster }

    func read(
        _ offsets: [(partition: Int, offset: ClusterOffset)], atMost count: Int, waiting: Duration,
        _ body: (Int, borrowing ClusterEntry) -> Void
    ) throws(ClusterFailure) {
        let found = offsets.map {
            (cluster.actions(of: $0.partition, after: $0.offset).prefix(count), $0.partition)
        }
        if found.allSatisfy(\.0.isEmpty), waiting > .zero { cluster.wait(atMost: waiting) }
        for (actions, partition) in found {
            for entry in actions {
                unsafe entry.action.withUnsafeBytes { bytes in
                    unsafe body(
                        partition, ClusterEntry(offset: entry.offset, origin: entry.origin, action: bytes))
                }
            }
        }
    }

    func checkpoint(_ checkpoints: [ClusterCheckpoint]) throws(ClusterFailure) -> [ClusterRoll.Title?] {
        try cluster.allow("checkpoint")
        return cluster.keep(checkpoints)
    }

    func attempt(_ partition: Int, at offset: ClusterOffset, of member: String, epoch: Int)
        throws(ClusterFailure) -> Int?
    {
        cluster.attempt(partition, at: offset)
    }

    func reader() throws(ClusterFailure) -> Int { 1 }

    func wake(_ reader: Int) throws(ClusterFailure) -> Bool {
        try cluster.allow("wake")
        cluster.rouse()
        return true
    }

    // MARK: - The member

    func renew(_ member: ClusterPresence, for lease: Duration) throws(ClusterFailure) -> ClusterRoll {
        try cluster.allow("renew")
        return ClusterRoll(live: [member.name], titles: cluster.titles, digests: [member.name: member.digest])
    }

    func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition
    {
        cluster.change(partition, to: .init(owner: member, epoch: epoch + 1), "\(member) has \(partition)")
        return .granted(epoch: epoch + 1, offset: .start, slices: [:], attempts: 1)
    }

    func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure) {
        cluster.change(partition, to: .init(owner: nil, epoch: epoch), "\(member) released \(partition)")
    }

    func leave(_ presence: ClusterPresence) throws(ClusterFailure) { cluster.tell("\(presence.name) left") }

    func survey() throws(ClusterFailure) -> ClusterSurvey {
        ClusterSurvey(members: [], partitions: [], dead: 0, time: 100)
    }

    // MARK: - What nobody asks for

    /// Says that a call is none of those.
    private func unasked(_ call: String = #function) -> ClusterFailure {
        .refused("nobody asks for \(call) here")
    }

    func append(_ batch: ClusterBatch) throws(ClusterFailure) { throw unasked() }
    func join(_ presence: ClusterPresence) throws(ClusterFailure) { throw unasked() }
    func drain(_ member: String, _ isDraining: Bool) throws(ClusterFailure) { throw unasked() }
    func takeTurn(for member: String, _ time: Duration) throws(ClusterFailure) -> Bool { throw unasked() }
    func endTurn(of member: String) throws(ClusterFailure) { throw unasked() }
    func requestReload() throws(ClusterFailure) -> Int { throw unasked() }
    func deadLetters(atMost count: Int) throws(ClusterFailure) -> [ClusterDeadLetter] { throw unasked() }
}
