// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting
import Testing

@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct SliceOwnersTests {
    @Test(arguments: 1...20)
    func `an overlap is found exactly when two pointers contain each other`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var owners = SliceOwners()
        var earlier: [JSONPointer] = []
        for number in 0..<40 {
            let depth = Int.random(in: 0...5, using: &random)
            let slice = JSONPointer(
                tokens: (0..<depth).map { _ in String(Int.random(in: 0...3, using: &random)) })
            let overlap = owners.rival(of: slice)
            owners.add(SliceOwners.Claim(slice: slice, id: "i\(number)", line: number))
            let expected = earlier.contains { $0.contains(slice) || slice.contains($0) }
            #expect((overlap != nil) == expected, "seed \(seed), slice \(slice) after \(earlier)")
            if let overlap {
                #expect(overlap.slice.contains(slice) || slice.contains(overlap.slice), "seed \(seed)")
                #expect(earlier.contains(overlap.slice), "seed \(seed)")
            }
            earlier.append(slice)
        }
    }
}
