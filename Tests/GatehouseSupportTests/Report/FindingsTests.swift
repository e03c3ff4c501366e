// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct FindingsTests {
    /// Something about a column of the only line of a file.
    private func placed(_ severity: Finding.Severity, column: Int, _ sentence: String) throws -> Finding {
        Finding(
            severity,
            at: Finding.Place(
                file: "f", position: TextPosition(line: 1, column: column, offset: column - 1),
                pointer: try JSONPointer("/a")), sentence)
    }

    /// One finding of each kind, in the order in which they are told.
    private func each() throws -> [Finding] {
        [
            try placed(.error, column: 1, "wrong"), try placed(.warning, column: 3, "odd"),
            Finding(.error, refusing: "b.so", for: "b", because: ["one", "two"]),
            Finding(.warning, "the folder is open"),
            Finding(.warning, refusing: "c.so", for: nil, because: ["broken"]),
            Finding(.warning, instance: "d", "hears nothing"), Finding(.doubt, "may overlap"),
        ]
    }

    @Test func `a finding is told with its place, its library or its instance`() throws {
        #expect(
            try each().map(\.description) == [
                "f:1:1: /a: wrong", "f:1:3: warning: /a: odd",
                "b.so: refused for the instance b:\n  - one\n  - two", "the folder is open",
                "c.so: refused: broken", "d: hears nothing", "may overlap",
            ])
    }

    @Test(arguments: 1...20)
    func `findings are told in one order, those alike as they were found`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let each = try each()
        let shuffled = Findings(each.shuffled(using: &random)).all
        let isAlike = { (finding: Finding) in finding.place == nil && finding.severity == .warning }
        #expect(shuffled.filter { !isAlike($0) } == each.filter { !isAlike($0) }, "seed \(seed)")
        #expect(shuffled.map(isAlike) == each.map(isAlike), "seed \(seed)")
        #expect(Findings(each).all == each)
        #expect((Findings(Array(each.prefix(3))) + Array(each.dropFirst(3))).all == each)
    }

    @Test func `only an error keeps the host from starting, and one with a place breaks the configuration`()
        throws
    {
        let each = try each()
        #expect(each.map { Findings([$0]).isFailure } == [true, false, true, false, false, false, false])
        #expect(
            each.map { Findings([$0]).isConfigurationBroken }
                == [true, false, false, false, false, false, false])
    }

    @Test func `for programs each kind has a list of its own`() throws {
        let json = Value.object(Findings(try each()).json)
        #expect(json["problems"]?.arrayValue?.compactMap { $0["message"] } == ["wrong", "odd"])
        #expect(json["refusals"] == [["library": "b.so", "instance": "b", "reasons": ["one", "two"]]])
        #expect(
            json["warnings"] == [
                "the folder is open", "c.so: refused: broken", "d: hears nothing", "may overlap",
            ])
    }
}
