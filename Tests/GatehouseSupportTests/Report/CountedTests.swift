// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSupport

/// Numbers for people.
struct CountedTests {
    @Test func `a noun has its plural, but for one`() {
        #expect([0, 1, 2].map { Counted.text($0, "line") } == ["0 lines", "1 line", "2 lines"])
        #expect(
            [1, 3].map { Counted.text($0, "library", plural: "libraries") } == ["1 library", "3 libraries"])
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1,000"), (12_345, "12,345"), (123_456, "123,456"),
        (1_234_567, "1,234,567"), (Int.max, "9,223,372,036,854,775,807"),
    ])
    func `digits are grouped by three from the end`(number: Int, text: String) {
        #expect(number.grouped == text)
        #expect(UInt64(number).grouped == text)
    }
}
