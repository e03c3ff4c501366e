// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct ValueOrderTests {
    @Test(
        arguments: [
            [
                .bigNumber("-1e400"), .bigNumber("-9223372036854775809"), .integer(.min), -1.5, -1, -0.5, 0,
                0.5, 1,
                1.5, 2, .integer(9_007_199_254_740_993), .integer(.max), .double(9_223_372_036_854_775_808),
                .unsigned(9_300_000_000_000_000_000), .unsigned(.max), .bigNumber("18446744073709551617"),
                .double(18_446_744_073_709_551_616), 1e300, .bigNumber("1e400"), .bigNumber("2e400"),
            ] as [Value]
        ])
    func `numbers of all forms stand in one order`(numbers: [Value]) {
        for (index, left) in numbers.enumerated() {
            for (other, right) in numbers.enumerated() {
                #expect(left.isLess(than: right) == (index < other), "\(left) and \(right)")
            }
        }
    }

    @Test(
        arguments: [(1, 1.0), (0, -0.0), (.double(9_007_199_254_740_992), .integer(9_007_199_254_740_992))]
            as [(Value, Value)])
    func `equal numbers of different forms are not less`(left: Value, right: Value) {
        #expect(left.isLess(than: right) == false)
        #expect(right.isLess(than: left) == false)
    }

    @Test(arguments: ["1", true, .null, [1], [:]] as [Value])
    func `what is no number has no order`(value: Value) {
        #expect(value.isLess(than: 1) == nil)
        #expect(Value(1).isLess(than: value) == nil)
    }
}
