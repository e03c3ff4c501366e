// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Testing

/// Checks that two ways to do the same thing agree, for many random cases; a disagreement is reported with its seed.
///
/// The seeds are 1 to `cases`, so that a failure can be repeated by passing the one it names as `only`.
func forAll<Outcome: Equatable>(
    cases: UInt64 = 200, only: UInt64? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ law: (inout SeededGenerator) -> (Outcome, Outcome)
) {
    for seed in only.map({ $0...$0 }) ?? 1...cases {
        var random = SeededGenerator(seed: seed)
        let (one, other) = law(&random)
        guard one != other else { continue }
        Issue.record("seed \(seed):\n\(one)\nis not\n\(other)", sourceLocation: sourceLocation)
        return
    }
}
