// SPDX-License-Identifier: Apache-2.0

/// How far a member is with a partition that it has, or is about to have, or to give away.
enum PartitionStage: Equatable {
    /// The engine was asked for it.
    case acquiring(call: Int)
    /// It is processed.
    case running(epoch: Int)
    /// It is brought to an end, for another member.
    case finishing(epoch: Int)
    /// It is given back.
    case releasing(epoch: Int, call: Int)

    /// Whether it has been begun, and not ended.
    var isLoaded: Bool {
        switch self {
        case .running, .finishing: true
        case .acquiring, .releasing: false
        }
    }

    /// Whether it is processed, and stays.
    var isRunning: Bool { if case .running = self { true } else { false } }

    /// Whether it is on its way to this member.
    var isComing: Bool { if case .acquiring = self { true } else { false } }

    /// Whether it is on its way to another member.
    var isGoing: Bool {
        switch self {
        case .finishing, .releasing: true
        case .acquiring, .running: false
        }
    }

    /// Under which epoch it is owned; nil while it is not.
    var epoch: Int? {
        switch self {
        case .running(let epoch), .finishing(let epoch), .releasing(let epoch, _): epoch
        case .acquiring: nil
        }
    }

    /// The call that is to be answered; nil for none.
    var call: Int? {
        switch self {
        case .acquiring(let call), .releasing(_, let call): call
        case .running, .finishing: nil
        }
    }
}
