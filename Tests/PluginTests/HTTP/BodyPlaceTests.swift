// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

@Suite(.timeLimit(.minutes(10))) struct BodyPlaceTests {
    @Test(arguments: [
        (1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 1), (5, 2, 2), (6, 3, 1), (7, 3, 2), (8, 3, 2), (0, 1, 1),
    ])
    func `a scalar is in a line and a column, from 1`(number: Int, line: Int, column: Int) {
        // Seven bytes, of which two are one scalar, in three lines.
        let place = BodyPlace(ofScalar: number, in: Array("aé\nb\nc".utf8))
        #expect([place.line, place.column] == [line, column])
    }
}
