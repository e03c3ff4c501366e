// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehouseSDK

/// An instance of a simulated host that runs in a worker or in the host.
enum ClerkID: String, CaseIterable {
    /// The first hears what writers send, and what follows from that in its pass.
    case clerk
    /// The second hears that too, and what the first emits on the spot; in some hosts there is none.
    case scribe

    /// Whether its effects end when its gate closes; those of the other one go on, and what they emit is dropped.
    var endsEffects: Bool { self == .clerk }

    /// What it says tells it from the other one.
    fileprivate var places: (heard: Range<Int>, answers: Int, late: Int, interruptions: Int) {
        switch self {
        case .clerk: (0..<3, 3, 8, 11)
        case .scribe: (0..<6, 16, 24, 32)
        }
    }
}

/// What an action means to an instance that runs in a worker or in the host: all that it does follows from what the action says.
struct ClerkAction {
    /// What it says.
    let told: Int
    /// The instance that hears it.
    let clerk: ClerkID

    /// An action; nil for one that the instance does not hear.
    init?(_ told: Int, for clerk: ClerkID) {
        guard told >= 0, clerk.places.heard.contains(told % SimulatedAction.variant),
            SimulatedAction.gateMove(by: told) == nil
        else { return nil }
        (self.told, self.clerk) = (told, clerk)
    }

    /// The same, read from the action.
    init?(_ action: AnyAction, for clerk: ClerkID) {
        guard let told = action.payload?["n"]?.intValue else { return nil }
        self.init(told, for: clerk)
    }

    /// What the action says that the instance emits on the spot; nil for none.
    var answer: Int? { (root + place) % 3 == 0 ? nil : told + clerk.places.answers }

    /// Whether an action is one that an instance emits on the spot.
    static func isAnswer(_ told: Int) -> Bool {
        ClerkID.allCases.contains { clerk in
            let first = clerk.places.answers
            return (first..<first + clerk.places.heard.count).contains(told % SimulatedAction.variant)
        }
    }

    /// Whether a worker's process ends when the instance hears it or is shown it.
    var isFatal: Bool { root % 53 == 7 && place < 2 }

    /// Whether an action comes again when the input that it follows from is dispatched again: one that no effect has emitted, and that tells of
    /// none.
    static func mayRecur(_ told: Int) -> Bool {
        isAnswer(told) || told % SimulatedAction.variant < ClerkID.clerk.places.heard.upperBound
    }

    /// How many effects it begins.
    var effects: Int { (root / 3 + place) % 3 }

    /// What becomes of one of them when it is interrupted.
    func recovery(of ordinal: UInt32) -> EffectRecovery { (root + Int(ordinal)) % 4 == 0 ? .tell : .again }

    /// What each of them says when it ends.
    var late: Int { told + clerk.places.late }

    /// What people are told of one of them that was interrupted.
    var interruption: Int { told + clerk.places.interruptions }

    /// The number of the action that a writer has sent, and the place among those that it leads to.
    private var root: Int { told / SimulatedAction.places }
    private var place: Int { told % SimulatedAction.variant }
}
