// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSDK

/// One name of an action type.
@Suite(.timeLimit(.minutes(10))) struct ActionNameTests {
    private func name(_ bytes: [UInt8]) -> ActionName {
        unsafe bytes.withUnsafeBytes {
            unsafe ActionName($0, hash: 7, type: ActionType(place: 3, turn: 5))
        }
    }

    private func equals(_ name: ActionName, _ other: [UInt8]) -> Bool {
        unsafe other.withUnsafeBytes { unsafe name.equals($0) }
    }

    @Test func `a name is what it was made of`() {
        let name = name(Array("a/é".utf8))
        #expect(name.text == "a/é")
        #expect(name.count == 4)
        #expect(name.hash == 7)
        #expect(name.type == ActionType(place: 3, turn: 5))
    }

    @Test func `names are the same when all their bytes are, whatever the text looks like`() {
        let name = name([0x61, 0xff])
        #expect(name.text == "a\u{fffd}")
        #expect(equals(name, [0x61, 0xff]))
        #expect(!equals(name, [0x61, 0xfe]))
        #expect(!equals(name, [0x62, 0xff]))
        #expect(!equals(name, [0x61]))
        #expect(!equals(name, [0x61, 0xff, 0x61]))
        #expect(!equals(name, Array("a\u{fffd}".utf8)))
    }

    @Test func `a name without bytes is a name, and needs no memory`() {
        let nothing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        let name = unsafe ActionName(nothing, hash: 0, type: ActionType(place: 1, turn: 0))
        #expect(name.text == "")
        #expect(unsafe name.equals(nothing))
        #expect(equals(name, []))
        #expect(!equals(name, [0]))
    }

    @Test func `place and turn of a type are parts of its number`() {
        let type = ActionType(place: 3, turn: 5)
        #expect(type.id == 5 << 32 | 3)
        #expect(type.place == 3)
        #expect(type.isPassing)
        #expect(ActionType(place: 3, turn: 1).isPassing)
        #expect(!ActionType(place: .init(UInt32.max), turn: 0).isPassing)
    }
}
