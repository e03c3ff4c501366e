// SPDX-License-Identifier: Apache-2.0

/// A member's stage with a partition that it has, is about to have, or is giving away.
enum PartitionStage: Equatable {
    /// The member has asked the engine for it.
    case acquiring(call: Int)
    /// The member processes it.
    case running(epoch: Int)
    /// The member is ending it, for another member.
    case finishing(epoch: Int)
    /// The member is releasing it.
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

    /// Whether it is moving to this member.
    var isComing: Bool { if case .acquiring = self { true } else { false } }

    /// Whether it is moving to another member.
    var isGoing: Bool { !isComing && !isRunning }

    /// The epoch under which it is owned; nil while it is not.
    var epoch: Int? {
        switch self {
        case .running(let epoch), .finishing(let epoch), .releasing(let epoch, _): epoch
        case .acquiring: nil
        }
    }

    /// The unanswered call; nil for none.
    var call: Int? {
        switch self {
        case .acquiring(let call), .releasing(_, let call): call
        case .running, .finishing: nil
        }
    }
}
