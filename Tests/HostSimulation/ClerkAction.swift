// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehouseSDK

/// What an action means to the clerk, the instance that runs in a worker or in the host: all that it does follows from what the action says.
struct ClerkAction {
    /// What it says.
    let told: Int

    /// An action; nil for one that the clerk does not hear, because a worker or an effect has emitted it.
    init?(_ told: Int) {
        guard told >= 0, told % SimulatedAction.places <= 2 else { return nil }
        self.told = told
    }

    /// The same, read from the action.
    init?(_ action: AnyAction) {
        guard let told = action.payload?["n"]?.intValue else { return nil }
        self.init(told)
    }

    /// What the action says that the clerk emits on the spot; nil for none.
    var answer: Int? { (told / SimulatedAction.places + place) % 3 == 0 ? nil : told + 3 }

    /// Whether an action is one that the clerk emits on the spot.
    static func isAnswer(_ told: Int) -> Bool { (3...5).contains(told % SimulatedAction.places) }

    /// How many effects it begins.
    var effects: Int { (told / SimulatedAction.places / 3 + place) % 3 }

    /// What becomes of one of them when it is interrupted.
    func recovery(of ordinal: UInt32) -> EffectRecovery {
        (told / SimulatedAction.places + Int(ordinal)) % 4 == 0 ? .tell : .again
    }

    /// What each of them says when it ends.
    var late: Int { told + 8 }

    /// What people are told of one of them that was interrupted.
    var interruption: Int { told + 11 }

    /// Its place in its pass.
    private var place: Int { told % SimulatedAction.places }
}
