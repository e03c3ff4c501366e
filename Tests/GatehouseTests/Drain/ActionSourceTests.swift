// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ActionSourceTests {
    @Test func `here is the place of the call`() {
        let source = ActionSource.here(info: "x"); let line: UInt = #line
        #expect(source.file.hasSuffix("ActionSourceTests.swift"))
        #expect(source.function == "here is the place of the call()")
        #expect(source.line == line)
        #expect(source.info == "x")
    }

    @Test func `with info changes nothing else`() {
        let source = ActionSource(file: "f", function: "g", line: 7, info: nil)
        #expect(source.with(info: "i") == ActionSource(file: "f", function: "g", line: 7, info: "i"))
        #expect(source.info == nil)
    }
}
