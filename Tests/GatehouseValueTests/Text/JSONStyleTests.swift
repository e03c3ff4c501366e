// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// Layouts of written text.
@Suite(.timeLimit(.minutes(10))) struct JSONStyleTests {
    @Test func `pretty text has one member a line and keeps empty containers short`() {
        let value: Value = ["b": [1, [], [:], ["x": nil]], "a": "q\"", "e": [:]]
        #expect(
            value.json(.pretty) == """
                {
                  "b": [
                    1,
                    [],
                    {},
                    {
                      "x": null
                    }
                  ],
                  "a": "q\\"",
                  "e": {}
                }
                """)
    }

    @Test func `writing appends`() {
        var bytes = Array("data: ".utf8)
        let value: Value = [1]
        value.writeJSON(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "data: [1]")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that no text can hold is written as null`(number: Double) {
        #expect(Value.double(number).json() == "null")
    }
}
