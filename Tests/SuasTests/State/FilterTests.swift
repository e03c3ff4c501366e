// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FilterTests {
    /// Compares itself by hand.
    private struct Manual: SuasDynamicEquatable {
        let value: Int

        func isEqual(to other: Any) -> Bool { (other as? Manual)?.value == value }
    }

    /// Gets the comparison for nothing.
    private struct Free: Equatable, SuasDynamicEquatable {
        let value: Int
    }

    /// A state that cannot be compared.
    private struct Plain {}

    @Test(arguments: [(1, 1, false), (1, 2, true)])
    func `EqualsFilter tells of values that differ`(old: Int, new: Int, isTold: Bool) {
        #expect(EqualsFilter(Manual(value: old), Manual(value: new)) == isTold)
        #expect(EqualsFilter(Free(value: old), Free(value: new)) == isTold)
    }

    @Test func `EqualsFilter tells of values that are not both comparable, and of different types`() {
        #expect(EqualsFilter(Plain(), Plain()))
        #expect(EqualsFilter(Free(value: 1), Plain()))
        #expect(EqualsFilter(Plain(), Free(value: 1)))
        #expect(EqualsFilter(Free(value: 1), Manual(value: 1)))
    }

    @Test func `alwaysFilter tells of everything`() {
        #expect(alwaysFilter(Free(value: 1), Free(value: 1)))
    }
}
