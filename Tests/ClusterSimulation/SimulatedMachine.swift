// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster

/// A machine, and the member on it.
struct SimulatedMachine {
    /// A partition that the member processes.
    struct Work {
        var epoch: Int
        var offset: Int
        /// The checkpoint on its way; nil for none.
        var attempt: Int?
        /// Whether it is being brought to an end.
        var isFinishing = false
    }

    /// The protocol; nil while it is down.
    var member: ClusterMember?
    /// The member's name; two machines have it, so that a life may begin while the one before is there.
    let name: String
    /// Which of all processes it is.
    var life = 0 { didSet { nextTick = nil } }
    /// How fast its clock runs.
    private let rate: Double
    /// It does nothing before this time.
    var asleep = Duration.zero
    /// What it processes, by partition.
    var work: [Int: Work] = [:]
    /// The offsets that came with acquisitions.
    private var loaded: [Int: Int] = [:]
    /// The number of the look at the clock that is to come; earlier ones are void.
    private(set) var ticks = 0
    /// When that is; nil for none.
    private var nextTick: Duration?

    /// A machine that is down.
    init(name: String, rate: Double) {
        self.name = name
        self.rate = rate
    }

    /// What its clock says at a time of the simulation.
    func clock(at now: Duration) -> Duration { now * rate }

    /// How long its clock takes for a time, in the time of the simulation.
    func time(for duration: Duration) -> Duration { duration / rate }

    /// Until when the member believes in its lease, in the time of the simulation; nil while it is down.
    var deadline: Duration? { member.map { $0.deadline / rate } }

    /// Lets it look at the clock at a time of the simulation; gives the number of the look, or nil when it looks no later anyway.
    mutating func look(at time: Duration) -> Int? {
        if let nextTick, nextTick <= time { return nil }
        nextTick = time
        ticks += 1
        return ticks
    }

    /// Takes note that it looks at the clock now; false when that look is void.
    mutating func looks(_ number: Int) -> Bool {
        guard number == ticks else { return false }
        nextTick = nil
        return true
    }

    /// Lets the member take an answer at a time of its clock; gives what it is to do then.
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
