// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import GatehousePlan
import GatehouseRuntime

/// Compares what a recovery has found with what a host had handed over.
struct PastAudit {
    /// What was found.
    private let recovery: Recovery
    /// The host that goes on.
    private let host: SimulatedHost
    /// The names of inputs that the journal has.
    private let names: Set<String>

    /// A look at a recovery beside the host that goes on with it.
    init(_ recovery: Recovery, _ host: SimulatedHost) throws(JournalFailure) {
        self.recovery = recovery
        self.host = host
        let known = try JournalReader(folder: host.terms.folder).names(after: 0).known
        names = Set(known.map(\.name))
    }

    /// Finds the last moment that is as what was found, not before what must be there.
    ///
    /// - Returns: its number; nil with a sentence where there is none.
    func find(in past: ExpectedPast) -> (moment: Int?, fault: String) {
        let numbers = past.moments.indices.reversed()
        let options = host.terms.options
        if let found = numbers.first(where: { number in
            // Two moments may differ in nothing but the name of an input that was stopped.
            differences(from: past.moments[number]).isEmpty
                && past.names(upTo: past.moments[number], in: options.window, at: options.clock())
                    .allSatisfy(names.contains)
        }) {
            guard found < past.committed else { return (found, "") }
            return (
                nil,
                "the journal ends at moment \(found), and everything up to \(past.committed) was kept: \(words)"
            )
        }
        let nearest = numbers.min {
            differences(from: past.moments[$0]).count < differences(from: past.moments[$1]).count
        }
        let moment = past.moments[nearest ?? 0]
        return (
            nil,
            "the journal is as it never was (\(words)); nearest is moment \(nearest ?? 0), but for \(differences(from: moment).joined(separator: ", "))"
        )
    }

    /// How far the journal goes.
    private var words: String {
        "action \(recovery.sequence), input \(host.writer.start.input - 1), \(recovery.inputs.count) open"
    }

    /// In what a moment differs from what was found.
    private func differences(from moment: ExpectedPast.Moment) -> [String] {
        var differences: [String] = []
        if moment.sequence != recovery.sequence { differences.append("action \(moment.sequence)") }
        // No number is given twice, so it may be greater after one was lost.
        if moment.input > host.writer.start.input - 1 { differences.append("input \(moment.input)") }
        let open = recovery.inputs.map(\.number)
        if moment.open.keys.sorted() != open { differences.append("inputs \(moment.open.keys.sorted())") }
        let running = Dictionary(
            recovery.effects.map {
                (
                    $0.number,
                    ExpectedPast.Effect(
                        key: $0.key, ordinal: $0.ordinal, attempt: $0.attempt, sequence: $0.sequence)
                )
            }, uniquingKeysWith: { first, _ in first })
        if moment.running != running { differences.append("effects \(moment.running.keys.sorted())") }
        if moment.letters != Set(recovery.letters.map(\.id)) {
            differences.append("letters \(moment.letters.sorted())")
        }
        let state = SimulatedState(recovery.place.state)
        if moment.generations > 0 ? state != moment.state : state != nil {
            differences.append("state \(moment.state) instead of \(state.map { "\($0)" } ?? "none")")
        }
        return differences
    }

    /// Compares each record that must be kept with what was recorded; gives a sentence for each difference.
    func compareRecords(with past: ExpectedPast) -> [String] {
        var faults: [String] = []
        do throws(JournalFailure) {
            let reader = try JournalReader(folder: host.terms.folder)
            // What the older of two snapshots does not need may be gone.
            let snapshots = try reader.snapshots().good
            let cursor = try reader.wholeRecords(
                from: snapshots.count < 2 ? 1 : snapshots[1].sequence + 1)
            while let item = try cursor.next() {
                switch item {
                case .damage(let damage): faults.append("\(damage)")
                case .record(let record):
                    let index = Int(record.sequence) - 1
                    let expected = past.told.indices.contains(index) ? past.told[index] : nil
                    if let expected, SimulatedAction.told(by: record.bytes) == expected { continue }
                    faults.append(
                        "action \(record.sequence) is \(String(decoding: record.bytes.prefix(60), as: UTF8.self)), and was \(expected.map(String.init) ?? "never recorded")"
                    )
                }
            }
        } catch {
            faults.append("\(error)")
        }
        return faults
    }
}
