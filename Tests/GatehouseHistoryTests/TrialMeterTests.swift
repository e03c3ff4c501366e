// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal

/// What the costs of both sides of a trial say.
@Suite(.timeLimit(.minutes(10))) struct TrialMeterTests {
    /// So many steps of a type.
    private func steps(_ type: String, _ count: Int) -> [PastStep] {
        (0..<count).map { number in
            PastStep(
                root: JournalRecord(
                    sequence: UInt64(number + 1), epoch: 1, generation: 1, batchTime: 0, cause: .unknown,
                    file: "in", line: 1, instance: nil, time: nil,
                    bytes: Array(#"{"type":"\#(type)"}"#.utf8), encodingFailure: nil),
                changesBefore: [], consequences: [])
        }
    }

    /// What a side took for steps: the times of all of them.
    private func row(_ spans: [UInt64], kept: Int = 0, seconds: Double = 0) -> TrialMeter.Row {
        TrialMeter.Row(seconds: seconds, kept: kept, spans: spans)
    }

    @Test func `a type is suspicious whose shortest step, or all of them, take longer`() {
        var meter = TrialMeter()
        let usual = [UInt64](repeating: 100, count: 16)
        var late = usual
        late[3] = 1_000
        for (type, now) in [
            ("same", usual), ("longer", usual.map { $0 + 20 }), ("nearly", usual.map { $0 + 19 }),
            ("altogether", late), ("shorter", usual.map { $0 - 50 }),
        ] {
            meter.add(steps(type, 16), before: row(usual), now: row(now))
        }
        #expect(meter.suspiciousTypes == ["longer", "altogether"])
    }

    @Test func `a type is not suspicious because more actions follow, but where each of them takes longer`() {
        var meter = TrialMeter()
        let usual = [UInt64](repeating: 100, count: 16)
        for (type, now, following) in [
            ("one more", 199, (1, 2)), ("one more, and longer", 240, (1, 2)),
            ("one more of three", 159, (3, 4)),
            ("one less", 120, (2, 1)), ("as many", 120, (3, 3)),
        ] {
            meter.add(
                steps(type, 16), before: row(usual), now: row(usual.map { _ in UInt64(now) }),
                processed: { _ in following })
        }
        #expect(meter.suspiciousTypes == ["one more, and longer", "one less", "as many"])
    }

    @Test func `so few steps as 15 say nothing`() {
        var meter = TrialMeter()
        let (before, now) = ([UInt64](repeating: 100, count: 15), [UInt64](repeating: 300, count: 15))
        meter.add(steps("longer", 15), before: row(before), now: row(now))
        #expect(meter.suspiciousTypes == [])
        meter.add(steps("longer", 1), before: row([100]), now: row([300]))
        #expect(meter.suspiciousTypes == ["longer"])
    }

    @Test func `time counts of all rows, memory and steps of those that were measured`() {
        var meter = TrialMeter()
        meter.add(
            steps("a", 2), before: row([1, 2], kept: 10, seconds: 0.5),
            now: row([3, 4], kept: 20, seconds: 0.25))
        meter.add(steps("a", 2), before: row([], seconds: 1), now: row([], seconds: 2))
        #expect(meter.costs.before.seconds == 1.5 && meter.costs.now.seconds == 2.25)
        #expect(meter.costs.before.kept == 10 && meter.costs.now.kept == 20)
        #expect(meter.costs.steps == 2)
    }

    @Test func `the first row is not measured, the next eight are, and then one of 32`() {
        var meter = TrialMeter()
        let measured = (1...100).filter { _ in meter.beginRow() }
        #expect(measured == Array(2...9) + [32, 64, 96])
    }
}
