// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster

/// A request of a member to the engine; the last number of most is that of the call.
enum SimulatedCall {
    case renew(Int)
    case acquire(Int, after: Int, Int)
    case release(Int, epoch: Int, Int)
    case checkpoint(Int, epoch: Int, from: Int, to: Int, attempt: Int)
}

/// The engine's answer.
enum SimulatedAnswer {
    case renewed(ClusterRoll, Int)
    case superseded
    case acquired(Int, epoch: Int, offset: Int, Int)
    case refused(Int, ClusterRoll.Title, Int)
    case released(Int, Int)
    case written(Int, epoch: Int, attempt: Int, Bool)
}

/// An event of the simulation.
enum SimulatedEvent {
    /// A member looks at its clock.
    case tick(number: Int, member: Int, life: Int)
    /// A call reaches the engine.
    case call(SimulatedCall, member: Int, life: Int)
    /// An answer reaches a member.
    case answer(SimulatedAnswer, member: Int, life: Int)
    /// A partition is processed a little further.
    case step(partition: Int, epoch: Int, member: Int, life: Int)
    /// The answer to a checkpoint is overdue.
    case missing(partition: Int, epoch: Int, attempt: Int, member: Int, life: Int)
    /// A fault befalls a member.
    case destiny(member: Int)
    /// A sleeping member wakes.
    case wake
    /// A member that is down is restarted.
    case start(member: Int)
}

extension SimulatedEngine {
    /// Performs the request of a process with a name, and returns the answer.
    mutating func answer(_ call: SimulatedCall, of name: String, life: Int, at now: Duration)
        -> SimulatedAnswer
    {
        switch call {
        case .renew(let number):
            return renew(name, life: life, at: now).map { .renewed($0, number) } ?? .superseded
        case .acquire(let partition, let epoch, let number):
            switch acquire(partition, for: name, life: life, after: epoch, at: now) {
            case .granted(let epoch, let offset):
                return .acquired(partition, epoch: epoch, offset: offset, number)
            case .refused(let title): return .refused(partition, title, number)
            case .superseded: return .superseded
            }
        case .release(let partition, let epoch, let number):
            release(partition, from: name, epoch: epoch)
            return .released(partition, number)
        case .checkpoint(let partition, let epoch, let from, let to, let attempt):
            let isWritten = checkpoint(partition, by: name, epoch: epoch, from: from, to: to)
            return .written(partition, epoch: epoch, attempt: attempt, isWritten)
        }
    }
}
