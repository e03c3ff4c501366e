// SPDX-License-Identifier: Apache-2.0

import CJournalBenchmark
import GatehouseJournal
import GatehousePlan
import GatehouseSDK
import Glibc
import Synchronization

/// Compares the journal's writer, fed with ready batches, with what it stands on and with Redis, on one disk, in interleaved rounds;
/// with the largest batches the whole host too, which reads as many of the same actions from a file.
///
/// Arguments: a folder on the disk, for each of two Redis servers, with `appendfsync` always and everysec, the path of its socket, and
/// the built host with the folder of its plugins.
@main struct JournalBenchmark {
    /// The bytes of an action.
    private static let size = 120
    /// How often each is measured.
    private static let rounds = 7

    /// Somebody who writes batches of actions.
    private struct Contender {
        /// What the table calls it.
        let name: String
        /// How many more batches it gets, because it does not wait for the disk each time.
        var share = 1
        /// Writes so many batches of so many actions; gives the seconds that it took until all were as safe as promised.
        let write: (_ batches: Int, _ actions: Int) throws -> Double
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6 else {
            print("usage: journal-benchmark FOLDER ALWAYS-SOCKET EVERYSEC-SOCKET HOST PLUGINS")
            exit(64)
        }
        let folder = arguments[1]
        let writers = try contenders(folder, arguments[2], arguments[3])
        let hosts = hosts(folder + "/host", arguments[4], plugins: arguments[5])
        for actions in [1, 100, 1_000] {
            let contenders = actions == 1_000 ? writers + hosts : writers
            // About as long for each, so that the disk's moods hit all.
            let batches = actions == 1 ? 300 : actions == 100 ? 200 : 100
            var rates = [[Double]](repeating: [], count: contenders.count)
            for round in 0...rounds {
                for (index, contender) in contenders.enumerated() {
                    let count = batches * contender.share
                    let seconds = try contender.write(count, actions)
                    // The first round makes files and fills caches.
                    if round > 0 { rates[index].append(Double(count * actions) / seconds) }
                }
            }
            show(actions, contenders.map(\.name), rates.map { $0.sorted()[$0.count / 2] })
        }
        try read(folder + "/relaxed")
    }

    /// Everybody who takes part.
    private static func contenders(
        _ folder: String, _ always: String, _ everysec: String
    ) throws -> [Contender] {
        let file = unsafe raw_open(folder + "/raw")
        let full = unsafe blobs_open(folder + "/full.sqlite", 1)
        let normal = unsafe blobs_open(folder + "/normal.sqlite", 0)
        let redisAlways = unsafe redis_connect(always)
        let redisEverysec = unsafe redis_connect(everysec)
        let alone = try Feed(JournalWriter(folder: folder + "/alone"))
        let strict = try Feed(JournalWriter(folder: folder + "/strict"))
        let relaxed = try Feed(JournalWriter(folder: folder + "/relaxed", .init(mode: .relaxed)))
        let bytes = { (actions: Int) in [UInt8](repeating: 120, count: actions * (size + 8)) }
        return [
            Contender(name: "write and fdatasync") { batches, actions in
                let blob = bytes(actions)
                return seconds { for _ in 0..<batches { unsafe raw_append(file, blob, blob.count) } }
            },
            Contender(name: "SQLite FULL") { batches, actions in
                let blob = bytes(actions)
                return seconds { for _ in 0..<batches { unsafe blobs_insert(full, blob, blob.count) } }
            },
            Contender(name: "journal strict, one at a time") { batches, actions in
                try alone.write(batches, actions, waitsForEach: true)
            },
            Contender(name: "journal strict") { batches, actions in
                try strict.write(batches, actions, waitsForEach: false)
            },
            Contender(name: "Redis always") { batches, actions in
                seconds { for _ in 0..<batches { redis_append(redisAlways, actions, size) } }
            },
            Contender(name: "SQLite NORMAL", share: 5) { batches, actions in
                let blob = bytes(actions)
                return seconds { for _ in 0..<batches { unsafe blobs_insert(normal, blob, blob.count) } }
            },
            Contender(name: "journal relaxed", share: 5) { batches, actions in
                try relaxed.write(batches, actions, waitsForEach: false)
            },
            Contender(name: "Redis everysec", share: 5) { batches, actions in
                seconds { for _ in 0..<batches { redis_append(redisEverysec, actions, size) } }
            },
        ]
    }

    /// The whole host in each mode of a journal.
    private static func hosts(_ folder: String, _ program: String, plugins: String) -> [Contender] {
        [(nil, "without a journal"), ("relaxed", "relaxed"), ("strict", "strict")].map { mode, name in
            let host = WholeHost(
                program, plugins: plugins, mode: mode, folder: "\(folder)-\(mode ?? "none")")
            return Contender(name: "whole host, \(name)", share: 5) { batches, actions in
                host.run(batches * actions, of: Feed.line)
            }
        }
    }

    /// Prints what came out for one size of batches.
    private static func show(_ actions: Int, _ names: [String], _ rates: [Double]) {
        let rate = { (name: String) in names.firstIndex(of: name).map { rates[$0] } ?? 0 }
        let bars: [String: (String, Double)] = [
            "journal strict, one at a time": ("SQLite FULL", 0.9), "journal strict": ("Redis always", 4),
            "journal relaxed": ("SQLite NORMAL", 0.9), "whole host, relaxed": ("journal relaxed", 0),
            "whole host, strict": ("journal strict", 0),
        ]
        print("\nbatches of \(actions), actions a second, median of \(rounds)")
        for (name, median) in zip(names, rates) {
            var line = name.padded(to: 32) + String(Int(median)).leftPadded(to: 12)
            if let (other, _) = bars[name] { line += "   " + ratio(median, rate(other)) + " × \(other)" }
            if name == "journal strict" {
                line += ", " + ratio(median, rate("SQLite FULL")) + " × SQLite FULL"
            }
            if name == "journal relaxed" {
                line += ", " + ratio(median, rate("Redis everysec")) + " × Redis everysec"
            }
            if name.hasPrefix("whole host, "), name != "whole host, without a journal" {
                line += ", " + ratio(median, rate("whole host, without a journal")) + " × without a journal"
            }
            print(line)
        }
    }

    /// A quotient with two digits.
    private static func ratio(_ value: Double, _ other: Double) -> String {
        let hundredths = Int((value / other * 100).rounded())
        return "\(hundredths / 100).\(String(hundredths % 100).leftPadded(to: 2, with: "0"))"
    }

    /// Measures how fast records come back.
    private static func read(_ folder: String) throws {
        let reader = try JournalReader(folder: folder)
        var count = 0
        let time = try seconds {
            let cursor = reader.records()
            while let item = try cursor.next() {
                if case .record = item { count += 1 }
            }
        }
        print("\nread: \(Int(Double(count) / time)) records a second (\(count) records)")
    }

    /// How long something takes.
    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        return try clock.measure(body) / .seconds(1)
    }
}

/// Makes ready batches for one writer, and hands them over.
final class Feed {
    /// Takes them.
    private let writer: JournalWriter
    /// The number of the next input, which is that of the next action too.
    private var next: UInt64 = 1
    /// A line of 120 bytes.
    static let line = Array(
        (#"{"type":"counter/increment","payload":{"by":1234567,"note":"\#(String(repeating: "x", count: 57))"}}"#)
            .utf8)

    /// Feeds a writer.
    init(_ writer: JournalWriter) {
        self.writer = writer
        next = writer.start.sequence
    }

    /// Makes so many batches of so many actions, and then hands them over; gives the seconds until all are committed.
    func write(_ batches: Int, _ actions: Int, waitsForEach: Bool) throws -> Double {
        var ready: [JournalBatch] = []
        for _ in 0..<batches { ready.append(batch(of: actions)) }
        ready.reverse()
        let clock = ContinuousClock()
        let start = clock.now
        while ready.count > 1, let batch = ready.popLast() {
            if waitsForEach { try writer.commit(batch) } else { writer.submit(batch) }
        }
        if let last = ready.popLast() { try writer.commit(last) }
        return (clock.now - start) / .seconds(1)
    }

    /// A batch of inputs that have been dispatched, each as it came.
    private func batch(of actions: Int) -> JournalBatch {
        var batch = JournalBatch(generation: 1, firstSequence: next)
        batch.entries.reserveCapacity(actions)
        for _ in 0..<actions {
            let source = ActionSource(file: "orders.ndjson", function: "", line: UInt(next), info: nil)
            batch.inputs.append(JournalInput(number: next, source: source, line: Self.line))
            batch.entries.append(
                JournalEntry(action: nil, source: source.caused(by: ActionCause(.input, next)), time: nil))
            batch.done.append(next)
            next += 1
        }
        return batch
    }
}

extension String {
    /// The text with spaces after it.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

    /// The text with something in front of it.
    func leftPadded(to width: Int, with filling: Character = " ") -> String {
        String(repeating: filling, count: Swift.max(0, width - count)) + self
    }
}
