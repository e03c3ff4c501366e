// SPDX-License-Identifier: Apache-2.0

/// Which actions are timed: one in 64 on average, by chance, or all.
///
/// By chance, because actions that lead to each other come in a fixed rhythm, and every 64th would be the same one.
struct SamplePlan {
    /// The number of the action that is timed next, counted from 1.
    private(set) var next: Int
    /// Whether all of them are.
    private let isComplete: Bool
    /// The last number of a sequence that is as good as random.
    private var seed: UInt32 = 2_463_534_242

    /// Each action, or a few.
    init(isComplete: Bool) {
        self.isComplete = isComplete
        // What comes first takes long once and never again.
        next = isComplete ? 1 : 64
    }

    /// Chooses again, when the next one has come.
    mutating func advance() {
        guard !isComplete else { return next &+= 1 }
        // Xorshift, by Marsaglia.
        seed ^= seed << 13
        seed ^= seed >> 17
        seed ^= seed << 5
        next &+= 1 + Int(seed % 127)
    }

    /// Chooses an action by its number; the plan goes on after it.
    mutating func choose(_ number: Int) { next = number }
}
