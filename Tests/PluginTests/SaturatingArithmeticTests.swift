// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// Numbers that stay at their limits.
@Suite(.timeLimit(.minutes(10))) struct SaturatingArithmeticTests {
    @Test func `sums and differences are exact up to the limits, and stay there`() {
        #expect(Int8(100).saturatingAdding(27) == 127)
        #expect(Int8(127).saturatingAdding(1) == 127)
        #expect(Int8(-127).saturatingAdding(-1) == -128)
        #expect(Int8(-128).saturatingAdding(-1) == -128)
        #expect(Int8(-127).saturatingSubtracting(1) == -128)
        #expect(Int8(-128).saturatingSubtracting(1) == -128)
        #expect(Int8(126).saturatingSubtracting(-1) == 127)
        #expect(Int8(127).saturatingSubtracting(-1) == 127)
        #expect(UInt8(255).saturatingAdding(1) == 255)
        #expect(UInt8(0).saturatingSubtracting(1) == 0)
        #expect(UInt8(5).saturatingSubtracting(3) == 2)
        var number = Int8(120)
        number.saturatingAdd(5)
        #expect(number == 125)
        number.saturatingAdd(5)
        #expect(number == 127)
    }
}
