// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// How the calls of a stack are shown.
@Suite(.timeLimit(.minutes(10))) struct CodePlaceTests {
    /// A call with a number.
    private func call(_ number: Int, line: String? = "a.swift:1", isPlugin: Bool = false) -> CodePlace {
        CodePlace(
            function: "f\(number)()", library: "libA.so", offset: 255, line: line, isPlugin: isPlugin)
    }

    @Test func `a place has function, library and line, or else the offset`() {
        #expect(call(1).description == "f1() in libA.so at a.swift:1")
        #expect(call(1, line: nil).description == "f1() in libA.so + 0xff")
        #expect(
            CodePlace(function: nil, library: "libA.so", offset: 16, line: nil, isPlugin: false).description
                == "<unknown> in libA.so + 0x10")
    }

    @Test func `calls are shown down to the outermost one of a plugin`() {
        let calls = [call(1), call(2, isPlugin: true), call(3), call(4, isPlugin: true), call(5)]
        #expect(
            CodePlace.lines(of: calls)
                == (1...4).map { "at f\($0)() in libA.so at a.swift:1" })
    }

    @Test func `without a plugin all calls are shown`() {
        #expect(CodePlace.lines(of: [call(1), call(2)]).count == 2)
        #expect(CodePlace.lines(of: []) == [])
    }

    @Test(arguments: [16, 17, 100])
    func `a deep stack is cut in the middle`(count: Int) {
        let lines = CodePlace.lines(of: (1...count).map { call($0, isPlugin: true) })
        #expect(lines.count == 16)
        #expect(lines.first == "at f1() in libA.so at a.swift:1")
        #expect(lines.last == "at f\(count)() in libA.so at a.swift:1")
        #expect(lines.contains("… \(count - 15) more calls") == (count > 16))
    }

    /// Code of this program.
    private static let marked: @convention(c) () -> Void = {}

    @Test func `code of this program is found with its function`() throws {
        let address = unsafe UInt64(UInt(bitPattern: unsafeBitCast(Self.marked, to: UnsafeRawPointer.self)))
        let place = try #require(CodePlace(of: address, isPlugin: false))
        #expect(place.function?.contains("CodePlaceTests") == true)
        #expect(CodePlace(of: 8, isPlugin: false) == nil)
    }
}
