// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseHost
@testable import GatehouseRuntime

/// What becomes of reports that are alike.
@Suite(.timeLimit(.minutes(10))) struct ReportDeskTests {
    /// Takes what a desk passes on.
    private final class Told: Sendable {
        let reports = Mutex<[HostReport]>([])
        var count: Int { reports.withLock(\.count) }
    }

    /// A payload that an instance cannot use; `expected` tells kinds apart.
    private func misfit(_ expected: String, line: UInt = 1) -> HostReport {
        .undecodable(
            source: ActionSource(file: "f", function: "", line: line, info: nil), column: nil, type: "t",
            instance: "i", failure: CodingFailure(pointer: .whole, expected: expected, found: "a string"))
    }

    /// A desk and what it passes on.
    private func desk() -> (desk: ReportDesk, told: Told) {
        let told = Told()
        return (ReportDesk { report in told.reports.withLock { $0.append(report) } }, told)
    }

    @Test func `what is not told is told in number, once, and bad data is counted in full`() {
        let (desk, told) = desk()
        for line in 1...250 { desk.send(misfit("a number", line: UInt(line))) }
        desk.send(misfit("an object"))
        #expect(told.count == 101)
        desk.tellRest()
        desk.tellRest()
        #expect(told.count == 102)
        #expect(told.reports.withLock(\.last) == .more(150, last: misfit("a number", line: 250)))
        #expect(desk.badDataCount == 251)
    }

    @Test func `while more come, what was only counted is told once a minute`() {
        let told = Told()
        let time = Mutex(Duration.zero)
        let desk = ReportDesk(now: { time.withLock { $0 } }) { report in
            told.reports.withLock { $0.append(report) }
        }
        for line in 1...150 { desk.send(misfit("a number", line: UInt(line))) }
        time.withLock { $0 = .seconds(59) }
        desk.send(misfit("a number", line: 151))
        #expect(told.count == 100)
        time.withLock { $0 = .seconds(60) }
        desk.send(misfit("a number", line: 152))
        #expect(told.count == 101)
        #expect(told.reports.withLock(\.last) == .more(52, last: misfit("a number", line: 152)))
        // Nothing is told twice.
        desk.send(misfit("a number", line: 153))
        desk.tellRest()
        #expect(told.reports.withLock(\.last) == .more(1, last: misfit("a number", line: 153)))
    }

    @Test func `kinds beyond a thousand count as one, so that they cannot fill the memory`() {
        let (desk, told) = desk()
        for kind in 0..<1_500 { desk.send(misfit("kind \(kind)")) }
        #expect(told.count == 1_100)
        desk.send(misfit("kind 7"))
        #expect(told.count == 1_101)
        desk.tellRest()
        #expect(told.reports.withLock(\.last) == .more(400, last: misfit("kind 1499")))
    }

    @Test func `what plugins write is passed on however often`() {
        let (desk, told) = desk()
        for _ in 0..<300 { desk.send(.log(.info, instance: "i", line: "same")) }
        desk.tellRest()
        #expect(told.count == 300)
    }
}
