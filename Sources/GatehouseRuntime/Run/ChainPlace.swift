// SPDX-License-Identifier: Apache-2.0

/// Where an action stands among all that follow from one input, or from whatever else began their chain.
///
/// It comes from who emitted each action on the way there, and how many others that instance had emitted after the same action. So it is
/// the same when the input is dispatched again, in whatever order hosts and workers get at what follows, and whichever instances there are
/// besides.
package struct ChainPlace: Equatable, Sendable {
    /// A number that no two places of a chain share, but for a chance of one in 2^64; 0 for the first action.
    package let number: UInt64

    /// A place that another recorder has told.
    package init(number: UInt64) { self.number = number }

    /// That of the first action of a chain.
    package static let first = ChainPlace(number: 0)

    /// The place of an action that follows from this one on the spot.
    ///
    /// - Parameters:
    ///   - index: how many the emitter has emitted before, after the same action.
    ///   - emitter: from its id, by `hash`.
    func follower(_ index: UInt32, of emitter: UInt64) -> ChainPlace {
        // SplitMix64.
        var mixed = number &+ emitter &+ (UInt64(index) &+ 1) &* 0x9e37_79b9_7f4a_7c15
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        mixed ^= mixed >> 31
        return ChainPlace(number: max(mixed, 1))
    }

    /// A number for the id of an instance, the same in all processes; by FNV-1a.
    static func hash(_ emitter: String) -> UInt64 {
        emitter.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// What stands for it in the key of an effect.
    var text: String { String(number, radix: 36) }
}
