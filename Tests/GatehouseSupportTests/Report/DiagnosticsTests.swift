// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct DiagnosticsTests {
    /// Something about a column of the only line of a file.
    private func placed(_ severity: Diagnostic.Severity, column: Int, _ sentence: String) throws -> Diagnostic
    {
        Diagnostic(
            severity,
            at: Diagnostic.Place(
                file: "f", position: TextPosition(line: 1, column: column, offset: column - 1),
                pointer: try JSONPointer("/a")), sentence)
    }

    /// One diagnostic of each kind, in the order in which they are told.
    private func each() throws -> [Diagnostic] {
        [
            try placed(.error, column: 1, "wrong"), try placed(.warning, column: 3, "odd"),
            Diagnostic(.error, refusing: "b.so", for: "b", because: ["one", "two"]),
            Diagnostic(.warning, "the folder is open"),
            Diagnostic(.warning, refusing: "c.so", for: nil, because: ["broken"]),
            Diagnostic(.warning, instance: "d", "hears nothing"), Diagnostic(.doubt, "may overlap"),
        ]
    }

    @Test func `a diagnostic is told with its place, its library or its instance`() throws {
        #expect(
            try each().map(\.description) == [
                "f:1:1: /a: wrong", "f:1:3: warning: /a: odd",
                "b.so: refused for the instance b:\n  - one\n  - two", "the folder is open",
                "c.so: refused: broken", "d: hears nothing", "may overlap",
            ])
    }

    @Test(arguments: 1...20)
    func `diagnostics are told in one order, those alike as they were found`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let each = try each()
        let shuffled = Diagnostics(each.shuffled(using: &random)).all
        let isAlike = { (diagnostic: Diagnostic) in diagnostic.place == nil && diagnostic.severity == .warning
        }
        #expect(shuffled.filter { !isAlike($0) } == each.filter { !isAlike($0) }, "seed \(seed)")
        #expect(shuffled.map(isAlike) == each.map(isAlike), "seed \(seed)")
        #expect(Diagnostics(each).all == each)
        #expect((Diagnostics(Array(each.prefix(3))) + Array(each.dropFirst(3))).all == each)
    }

    @Test func `only an error keeps the host from starting, and one with a place breaks the configuration`()
        throws
    {
        let each = try each()
        #expect(each.map { Diagnostics([$0]).isFailure } == [true, false, true, false, false, false, false])
        #expect(
            each.map { Diagnostics([$0]).isConfigurationBroken }
                == [true, false, false, false, false, false, false])
    }

    @Test func `for programs each kind has a list of its own`() throws {
        let json = Value.object(Diagnostics(try each()).json)
        #expect(json["problems"]?.arrayValue?.compactMap { $0["message"] } == ["wrong", "odd"])
        #expect(json["refusals"] == [["library": "b.so", "instance": "b", "reasons": ["one", "two"]]])
        #expect(
            json["warnings"] == [
                "the folder is open", "c.so: refused: broken", "d: hears nothing", "may overlap",
            ])
    }
}
