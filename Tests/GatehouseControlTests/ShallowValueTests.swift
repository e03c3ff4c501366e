// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseControl

@Suite(.timeLimit(.minutes(10))) struct ShallowValueTests {
    private let orders: Value = ["eu": ["open": [1, [2]], "none": []], "sum": 3]

    private func answer(_ depth: Int?, at pointer: String = "/orders") throws -> Value {
        var members: Members = [:]
        ShallowValue(orders, depth: depth, at: try JSONPointer(pointer)).add(to: &members)
        return .object(members)
    }

    @Test func `what stands deeper is empty, and its place is told`() throws {
        #expect(try answer(1) == ["value": ["eu": [:], "sum": 3], "cut": ["/orders/eu"]])
        #expect(
            try answer(2) == [
                "value": ["eu": ["open": [], "none": []], "sum": 3], "cut": ["/orders/eu/open"],
            ])
        #expect(
            try answer(3, at: "") == [
                "value": ["eu": ["open": [1, []], "none": []], "sum": 3], "cut": ["/eu/open/1"],
            ])
    }

    @Test func `a value that is whole tells of nothing that is cut`() throws {
        #expect(try answer(4) == ["value": orders])
        #expect(try answer(nil) == ["value": orders])
    }
}
