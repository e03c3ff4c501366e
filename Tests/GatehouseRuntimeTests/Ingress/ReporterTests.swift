// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseRuntime

/// What becomes of reports that are alike.
@Suite(.timeLimit(.minutes(10))) struct ReporterTests {
    /// Takes what a reporter passes on.
    private final class Told: Sendable {
        let reports = Mutex<[HostReport]>([])
        var count: Int { reports.withLock(\.count) }
    }

    /// A payload that an instance cannot use; `expected` tells kinds apart.
    private func decodingFailure(_ expected: String, line: UInt = 1) -> HostReport {
        .undecodable(
            source: ActionSource(file: "f", function: "", line: line, info: nil), column: nil, type: "t",
            instance: "i", failure: CodingFailure(pointer: .whole, expected: expected, found: "a string"))
    }

    /// A reporter and what it passes on.
    private func reporter() -> (reporter: Reporter, told: Told) {
        let told = Told()
        return (Reporter { report in told.reports.withLock { $0.append(report) } }, told)
    }

    @Test func `what is not told is told in number, once, and bad data is counted in full`() {
        let (reporter, told) = reporter()
        for line in 1...250 { reporter.send(decodingFailure("a number", line: UInt(line))) }
        reporter.send(decodingFailure("an object"))
        #expect(told.count == 101)
        reporter.tellRest()
        reporter.tellRest()
        #expect(told.count == 102)
        #expect(told.reports.withLock(\.last) == .more(150, last: decodingFailure("a number", line: 250)))
        #expect(reporter.badDataCount == 251)
    }

    @Test func `while more come, what was only counted is told once a minute`() {
        let told = Told()
        let time = Mutex(Duration.zero)
        let reporter = Reporter(now: { time.withLock { $0 } }) { report in
            told.reports.withLock { $0.append(report) }
        }
        for line in 1...150 { reporter.send(decodingFailure("a number", line: UInt(line))) }
        time.withLock { $0 = .seconds(59) }
        reporter.send(decodingFailure("a number", line: 151))
        #expect(told.count == 100)
        time.withLock { $0 = .seconds(60) }
        reporter.send(decodingFailure("a number", line: 152))
        #expect(told.count == 101)
        #expect(told.reports.withLock(\.last) == .more(52, last: decodingFailure("a number", line: 152)))
        // Nothing is told twice.
        reporter.send(decodingFailure("a number", line: 153))
        reporter.tellRest()
        #expect(told.reports.withLock(\.last) == .more(1, last: decodingFailure("a number", line: 153)))
    }

    @Test func `kinds beyond a thousand count as one, so that they cannot fill the memory`() {
        let (reporter, told) = reporter()
        for kind in 0..<1_500 { reporter.send(decodingFailure("kind \(kind)")) }
        #expect(told.count == 1_100)
        reporter.send(decodingFailure("kind 7"))
        #expect(told.count == 1_101)
        reporter.tellRest()
        #expect(told.reports.withLock(\.last) == .more(400, last: decodingFailure("kind 1499")))
    }

    @Test func `what plugins write is passed on however often`() {
        let (reporter, told) = reporter()
        for _ in 0..<300 { reporter.send(.log(.info, instance: "i", line: "same")) }
        reporter.tellRest()
        #expect(told.count == 300)
    }
}
