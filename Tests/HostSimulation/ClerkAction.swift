// SPDX-License-Identifier: Apache-2.0

/// What an action means to the instance in a worker, the clerk: all that it does follows from what the action says.
struct ClerkAction {
    /// What it says.
    let told: Int

    /// An action; nil for one that the clerk does not hear, because a worker or an effect has emitted it.
    init?(_ told: Int) {
        guard told >= 0, told % SimulatedAction.places <= 2 else { return nil }
        self.told = told
    }

    /// What the action says that the clerk emits on the spot; nil for none.
    var answer: Int? { (told / SimulatedAction.places + place) % 3 == 0 ? nil : told + 3 }

    /// How many effects it begins.
    var effects: Int { (told / SimulatedAction.places / 3 + place) % 3 }

    /// What each of them says when it ends.
    var late: Int { told + 8 }

    /// Its place in its pass.
    private var place: Int { told % SimulatedAction.places }
}
