// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseHistory
@testable import GatehouseJournal
@testable import GatehouseReload
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct HistoryPageTests {
    /// So many orders, each with a note of so many bytes; every thousandth one is large.
    private static func journal(_ count: Int, noteBytes: Int = 1) throws -> PastJournal {
        let note = Value.string(String(repeating: "n", count: noteBytes))
        return try PastJournal(
            (1...count).map { .line(UInt($0), $0 % 1_000 == 0 ? "orders/large" : "orders/placed", note) })
    }

    private func page(_ journal: PastJournal, _ change: (inout HistoryQuery) -> Void) throws -> HistoryPage {
        var query = HistoryQuery()
        change(&query)
        return try HistoryPage(query, of: try History(folder: journal.folder))
    }

    @Test func `pages put together are the whole past`() throws {
        let journal = try Self.journal(250)
        var numbers: [UInt64] = []
        var before: UInt64?
        repeat {
            let page = try page(journal) { ($0.before, $0.limit) = (before, 60) }
            numbers = page.entries.map(\.sequence) + numbers
            before = page.earlier
        } while before != nil
        #expect(numbers == Array(1...250))
    }

    @Test func `what is rare is found windows away`() throws {
        let journal = try Self.journal(5_100)
        let page = try page(journal) {
            ($0.types, $0.limit) = ([TypePattern(stem: "orders/large", isOpen: false)], 3)
        }
        #expect(page.entries.map(\.sequence) == [3_000, 4_000, 5_000])
        #expect(page.earlier == 3_000)
    }

    @Test func `a text is looked for in the whole action, without regard to case`() throws {
        let journal = try Self.journal(5_100)
        let page = try page(journal) { ($0.text, $0.limit) = ("ORDERS/LARGE", 2) }
        #expect(page.entries.map(\.sequence) == [4_000, 5_000])
        #expect(page.earlier == 4_000)
        #expect(page.value["searched"] == 1_101)
        #expect(try self.page(journal) { $0.text = "nowhere" }.value["actions"] == [])
    }

    @Test func `large actions make a page shorter, and no page is empty for that`() throws {
        let journal = try Self.journal(5, noteBytes: 600_000)
        let newest = try page(journal) { $0.limit = 10 }
        #expect(newest.entries.map(\.sequence) == [4, 5])
        #expect(newest.earlier == 4)
    }

    @Test func `what followed from an action is shown within the limit, and a page says that there is more`()
        throws
    {
        let journal = try PastJournal(
            [.line(1, "till/sold")] + (0..<4).map { _ in .by("till", "till/taxed", nil, .output, of: 1) })
        for (limit, count) in [(1, 1), (3, 3), (5, 5), (6, 5)] {
            let page = try page(journal) { ($0.causes, $0.limit) = (1, limit) }
            #expect(page.entries.map(\.sequence) == Array(1...UInt64(count)))
            #expect(page.isCut == (count < 5), "a limit of \(limit)")
            #expect(page.value["cut"] == (count < 5 ? true : nil))
        }
    }

    @Test func `what followed is shown up to a megabyte, and one action more`() throws {
        let note = Value.string(String(repeating: "n", count: 600_000))
        let journal = try PastJournal(
            [.line(1, "till/sold", note)]
                + (0..<3).map { _ in .by("till", "till/taxed", note, .output, of: 1) })
        let page = try page(journal) { ($0.causes, $0.limit) = (1, 10) }
        #expect(page.entries.map(\.sequence) == [1, 2])
        #expect(page.isCut)
    }

    @Test func `a page says how many actions it took, though it was one`() throws {
        let journal = try Self.journal(2)
        #expect(try page(journal) { $0.limit = 1 }.value["searched"] == 1)
        #expect(try page(journal) { $0.limit = 3 }.value["searched"] == 2)
    }

    @Test func `a journal without actions has an empty page`() throws {
        let journal = try PastJournal([])
        #expect(try page(journal) { _ in }.value == ["actions": []])
    }
}

@Suite(.timeLimit(.minutes(10))) struct HistoryServiceTests {
    /// What a client is answered when a child told this and ended so.
    private func answer(_ events: HistoryEvent..., end: ChildEnd = .finished) -> String {
        do {
            return try HistoryService.answer(in: HostChild.Outcome(lines: events.map(\.line), end: end))
                .json()
        } catch {
            return error.message
        }
    }

    @Test func `a child that dies, hangs or grows costs the answer and says how it ended`() {
        let advice = "; run gatehouse state --at for details"
        #expect(
            answer(end: .signal(4)) == "the child process that replays the journal died by SIGILL" + advice)
        #expect(
            answer(end: .hung(.seconds(30)))
                == "the child process that replays the journal did not return within 30 s" + advice)
        #expect(
            answer(end: .grown(1 << 30))
                == "the child process that replays the journal took more than 1024 MiB of memory" + advice)
    }

    @Test func `what the child found is the answer, and what kept it from that is told`() {
        #expect(answer(.answer(["at": 3]), .end) == #"{"at":3}"#)
        #expect(answer(.failure(["one", "two"]), .end) == "one\n  two")
        #expect(answer(.end) == "the child process that replays the journal reported nothing")
    }

    @Test func `a request comes back from what a host writes`() throws {
        let source = HistorySource(
            path: "/etc/p.json", isFolder: false, base: "/etc", journal: "/var/j", isStrict: true)
        for since in [nil, 0, 7] as [UInt64?] {
            let query = PastStateQuery(
                pointer: try JSONPointer("/a~1b"), at: 9, since: since, depth: since.map { Int($0) + 1 })
            let request = PastStateRequest(source: source, query: query)
            #expect(PastStateRequest(bytes: request.bytes) == request)
        }
        #expect(PastStateRequest(bytes: Array(#"{"at":1}"#.utf8)) == nil)
    }
}
