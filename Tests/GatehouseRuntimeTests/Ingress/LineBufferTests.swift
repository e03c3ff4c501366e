// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// The memory in which lines wait.
@Suite struct LineBufferTests {
    /// Takes all lines that are whole.
    private func lines(_ buffer: inout LineBuffer) -> [String] {
        var lines: [String] = []
        while let line = unsafe buffer.takeLine() {
            lines.append(unsafe String(decoding: line, as: UTF8.self))
        }
        return lines
    }

    /// Takes all that is left.
    private func rest(_ buffer: inout LineBuffer) -> String {
        let rest = unsafe buffer.takeRest()
        return unsafe String(decoding: rest, as: UTF8.self)
    }

    @Test func `lines are taken one after the other, then what is left of the last`() {
        var buffer = LineBuffer(smallCapacity: 16, largestCapacity: 64, holding: Array("a\n\nbc\nd".utf8))
        let hasLine = buffer.hasLine
        let taken = lines(&buffer)
        let waiting = buffer.waiting
        let left = rest(&buffer)
        let count = buffer.count
        #expect(hasLine && taken == ["a", "", "bc"])
        #expect(waiting == Array("d".utf8) && left == "d" && count == 0)
    }

    @Test func `an empty line is found that comes first after all was taken`() throws {
        let wire = try Wire.holding("\nx\n")
        var buffer = LineBuffer(smallCapacity: 16, largestCapacity: 64, holding: Array("rest".utf8))
        let first = rest(&buffer)
        let hasLine = buffer.hasLine
        let again = rest(&buffer)
        let refused = buffer.makeRoom()
        let read = buffer.fill(from: wire.reading)
        let taken = lines(&buffer)
        #expect(first == "rest" && !hasLine && again == "")
        #expect(refused == nil && read == 3)
        #expect(taken == ["", "x"])
        withExtendedLifetime(wire) {}
    }

    @Test func `a buffer has no memory at first, grows to what it may, and returns to its small size`() throws
    {
        let wire = try Wire.holding("0123456789\n")
        var buffer = LineBuffer(smallCapacity: 4, largestCapacity: 10)
        var capacities = [buffer.capacity]
        let before = lines(&buffer)
        while buffer.count < 10, buffer.makeRoom() == nil, buffer.fill(from: wire.reading) > 0 {
            capacities.append(buffer.capacity)
        }
        let held = rest(&buffer)
        let refused = buffer.makeRoom()
        capacities.append(buffer.capacity)
        buffer.rest()
        capacities.append(buffer.capacity)
        #expect(capacities == [0, 4, 8, 10, 4, 0])
        #expect(before == [] && held == "0123456789" && refused == nil)
        withExtendedLifetime(wire) {}
    }
}
