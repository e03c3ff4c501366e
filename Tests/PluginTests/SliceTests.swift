// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSDK

/// The state of one instance, as its host sees it.
@Suite(.timeLimit(.minutes(10))) struct SliceTests {
    /// A number that counts how often it is asked for.
    private final class Counting: SliceBox {
        var number: Value = 1
        var encodings = 0
        var copies = 0

        override func encode() throws(CodingFailure) -> Value {
            encodings += 1
            guard number != .null else {
                throw CodingFailure(pointer: .whole, expected: "a number", found: "none")
            }
            return number
        }
        override func copy() -> SliceCopy {
            copies += 1
            return super.copy()
        }
        override func restore(_ value: Value) throws(CodingFailure) {
            guard value != .null else {
                throw CodingFailure(pointer: .whole, expected: "a number", found: "null")
            }
            number = value
            version += 1
        }
        override func adopt(_ other: SliceBox) -> Bool {
            guard let other = other as? Counting else { return false }
            number = other.number
            version += 1
            return true
        }
    }

    @Test func `a slice without a box is empty, and stays so`() throws {
        let slice = Slice()
        #expect(slice.isEmpty)
        #expect(slice.version == 0)
        #expect(try slice.value() == nil)
        #expect(slice.copy() == nil)
        try slice.restore(1)
        #expect(slice.state(as: NoState.self) == NoState())
        #expect(slice.state(as: Int.self) == nil)
        #expect(slice.adopt(Slice()))
        #expect(!slice.adopt(Slice(Counting())))
        #expect(!Slice(Counting()).adopt(slice))
    }

    @Test func `a state is encoded once for each version, also for copies`() throws {
        let box = Counting()
        let slice = Slice(box)
        #expect(!slice.isEmpty)
        #expect(slice.version == 0)
        #expect(try slice.copy()?() == 1)
        #expect(box.copies == 1)
        for _ in 0..<2 { #expect(try slice.value() == 1) }
        #expect(box.encodings == 2)
        #expect(try slice.copy()?() == 1)
        #expect((box.copies, box.encodings) == (1, 2))
        try slice.restore(2)
        #expect(slice.version == 1)
        #expect(try slice.copy()?() == 2)
        #expect(box.copies == 2)
        for _ in 0..<2 { #expect(try slice.value() == 2) }
        #expect(box.encodings == 4)
        let other = Counting()
        other.number = 3
        #expect(slice.adopt(Slice(other)))
        #expect(try slice.value() == 3)
        #expect(slice.version == 2)
    }

    @Test func `a copy is of the state as it was`() throws {
        let box = Counting()
        let copy = try #require(Slice(box).copy())
        box.number = 2
        #expect(try copy() == 1)
    }

    @Test func `what cannot be encoded or restored is told each time`() throws {
        let box = Counting()
        let slice = Slice(box)
        box.number = .null
        for _ in 0..<2 {
            #expect(throws: CodingFailure.self) { try slice.value() }
            #expect(throws: CodingFailure.self) { try slice.copy()?() }
        }
        #expect(throws: CodingFailure.self) { try slice.restore(.null) }
        box.number = 4
        #expect(try slice.value() == 4)
    }
}
