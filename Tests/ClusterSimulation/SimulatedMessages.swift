// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster

/// What a member asks the engine; the last number of most is that of the call.
enum SimulatedCall {
    case renew(Int)
    case acquire(Int, after: Int, Int)
    case release(Int, epoch: Int, Int)
    case checkpoint(Int, epoch: Int, from: Int, to: Int, attempt: Int)
}

/// What the engine says to it.
enum SimulatedAnswer {
    case renewed(ClusterRoll, Int)
    case superseded
    case acquired(Int, epoch: Int, offset: Int, Int)
    case refused(Int, ClusterRoll.Title, Int)
    case released(Int, Int)
    case written(Int, epoch: Int, attempt: Int, Bool)
}

extension SimulatedEngine {
    /// Does what a process of a name asks for, and says what came of it.
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
