// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What becomes of the lines of one input.
@Suite(.timeLimit(.minutes(10))) struct ActionInputTests {
    /// What an input was read as.
    private struct Read: Equatable {
        /// The types of its actions, each with the line it came in.
        var actions: [String] = []
        /// How often there was nothing to dispatch.
        var nothing = 0
        /// What was reported, in order.
        var reports: [String] = []
        /// How far it was read.
        var place = ActionInput.Place()
    }

    /// Reads a text to its end; lines may have 60 bytes.
    private func read(
        _ text: String, _ kind: LineReader.Kind = .awaited, linesBefore: Int = 0,
        from place: ActionInput.Place? = nil
    ) throws -> Read {
        let wire = try Wire.holding(text)
        let reports = Reports()
        var taker = ActionTaker(
            IngressConfiguration(deny: [try #require(TypePattern("secret"))]),
            reports: Reporter { report in reports.sentences.withLock { $0.append(report.description) } })
        var read = Read()
        try withExtendedLifetime(wire) {
            var input = ActionInput(
                descriptor: wire.reading, name: "in", kind: kind,
                on: ReadingTerms(maximumLineBytes: 60, stop: nil), linesBefore: linesBefore, from: place)
            reading: while true {
                switch try input.next(&taker) {
                case .action(let action, _): read.actions.append("\(input.source.line) \(action.type.name)")
                case .nothing: read.nothing += 1
                case .interrupted, .dry: Issue.record("an input that waits for nothing")
                case .end: break reading
                }
            }
            read.place = input.place
        }
        read.reports = reports.sentences.withLock { $0 }
        return read
    }

    /// What a reporter passes on.
    private final class Reports: Sendable {
        let sentences = Mutex<[String]>([])
    }

    /// A line that is longer than lines may be.
    private let long = #"{"type":"a","payload":""# + String(repeating: "x", count: 60) + #""}"#

    @Test func `each line counts, and is an action, blank, rejected or refused`() throws {
        let read = try read(
            "\u{FEFF}{\"type\":\"a\"}\n\n{\"type\":\"b\"\n\(long)\n{\"type\":\"c\"}\n{\"type\":\"secret\"}\n{\"type\":\"d\"}"
        )
        #expect(read.actions == ["1 a", "5 c", "7 d"])
        #expect(read.nothing == 4)
        #expect((read.place.lines, read.place.blank) == (7, 1))
        #expect((read.place.rejected, read.place.refused) == (2, 1))
        #expect(read.reports.count == 3)
        #expect(read.reports.map { String($0.prefix(5)) } == ["in:3:", "in:4:", "in:6:"])
        #expect(
            read.reports.last == #"in:6: secret: input may not carry it: "ingress"/"deny" lists "secret""#)
    }

    @Test func `a mark of the byte order is skipped at the beginning alone`() throws {
        let read = try read("{\"type\":\"a\"}\n\u{FEFF}{\"type\":\"b\"}\n")
        #expect(read.actions == ["1 a"])
        #expect(read.place.rejected == 1)
        #expect(try self.read("\u{FEFF}{\"type\":\"a\"}\n", linesBefore: 3).place.rejected == 1)
    }

    @Test func `lines are counted on from where others have stopped`() throws {
        #expect(try read("{\"type\":\"a\"}\n", linesBefore: 41).actions == ["42 a"])
        var place = ActionInput.Place()
        (place.lines, place.blank, place.rejected, place.refused) = (9, 1, 2, 3)
        let read = try read("{\"type\":\"a\"}\n\n{\n{\"type\":\"secret\"}\n", linesBefore: 41, from: place)
        #expect(read.actions == ["10 a"])
        #expect((read.place.lines, read.place.blank) == (13, 2))
        #expect((read.place.rejected, read.place.refused) == (3, 4))
    }

    @Test func `a line whose writer has gone is no action, and is reported`() throws {
        let read = try read("{\"type\":\"a\"}\n{\"type\":\"b\"}", .connection)
        #expect(read.actions == ["1 a"])
        #expect(
            read.reports == [
                "in:2:1: its writer left before this line was complete; its 12 bytes so far are discarded"
            ])
        #expect(try self.read("{\"type\":\"a\"}\n", .connection).reports == [])
    }

    /// Whether another run would read what a descriptor brings once more.
    private func isReadAgain(_ descriptor: Int32, _ kind: LineReader.Kind = .awaited) -> Bool {
        ActionInput(
            descriptor: descriptor, name: "in", kind: kind,
            on: ReadingTerms(maximumLineBytes: 60, stop: nil)
        ).isReadAgain
    }

    @Test func `the lines of a file come again in the next run, and those of a pipe do not`() throws {
        let folder = try TemporaryFolder()
        let file = unsafe open(try folder.write("", to: "in"), O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let wire = try Wire.pipe()
        #expect(isReadAgain(file))
        #expect(!isReadAgain(wire.reading))
        #expect(isReadAgain(wire.reading, .growing))
        withExtendedLifetime((folder, wire)) {}
    }
}
