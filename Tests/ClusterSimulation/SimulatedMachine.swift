// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster

/// A machine, and the member on it.
struct SimulatedMachine {
    /// A partition that the member processes.
    struct Work {
        var epoch: Int
        var offset: Int
        /// The checkpoint in transit; nil for none.
        var attempt: Int?
        /// Whether it is being finished.
        var isFinishing = false
    }

    /// The protocol; nil while it is down.
    var member: ClusterMember?
    /// The member's name; two machines share it, so that a process may start while the former one is still there.
    let name: String
    /// The number of its process among all.
    var life = 0 { didSet { nextTick = nil } }
    /// How fast its clock runs.
    private let rate: Double
    /// Until when it does nothing.
    var asleep = Duration.zero
    /// The partitions that it processes.
    var work: [Int: Work] = [:]
    /// The offsets that came with acquisitions.
    private var loaded: [Int: Int] = [:]
    /// The number of the next look at the clock; earlier ones are void.
    private(set) var ticks = 0
    /// The time of the next look; nil for none.
    private var nextTick: Duration?

    /// A machine that is down.
    init(name: String, rate: Double) {
        self.name = name
        self.rate = rate
    }

    /// The reading of its clock at a time of the simulation.
    func clock(at now: Duration) -> Duration { now * rate }

    /// The simulated time that its clock takes for a duration.
    func time(for duration: Duration) -> Duration { duration / rate }

    /// Until when the member believes in its lease, in the time of the simulation; nil while it is down.
    var deadline: Duration? { member.map { $0.deadline / rate } }

    /// Schedules a look at the clock at a time of the simulation; returns its number, or nil if an earlier look is scheduled.
    mutating func look(at time: Duration) -> Int? {
        if let nextTick, nextTick <= time { return nil }
        nextTick = time
        ticks += 1
        return ticks
    }

    /// Records a look at the clock; false when that look is void.
    mutating func looks(_ number: Int) -> Bool {
        guard number == ticks else { return false }
        nextTick = nil
        return true
    }

    /// Passes an answer to the member at a time of its clock; returns the member's orders.
    mutating func take(_ answer: SimulatedAnswer, at time: Duration) -> [ClusterMember.Order] {
        switch answer {
        case .renewed(let roll, let call): return member?.renewed(roll, by: call, at: time) ?? []
        case .acquired(let partition, let epoch, let offset, let call):
            loaded[partition] = offset
            return member?.acquired(partition, epoch: epoch, by: call, at: time) ?? []
        case .refused(let partition, let title, let call):
            return member?.refused(partition, title: title, by: call, at: time) ?? []
        case .released(let partition, let call):
            return member?.released(partition, by: call, at: time) ?? []
        case .superseded, .written: return []
        }
    }

    /// Begins to process a partition, from the offset that came with it.
    mutating func begin(_ partition: Int, epoch: Int) {
        work[partition] = Work(epoch: epoch, offset: loaded[partition] ?? 0)
    }
}
