// SPDX-License-Identifier: Apache-2.0

/// Random numbers that are the same in every run, so that a failure can be repeated from its printed seed.
///
/// The algorithm is SplitMix64. All test bundles share it.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The position in the sequence.
    private var state: UInt64

    /// Starts the sequence that belongs to a seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits of the sequence.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
