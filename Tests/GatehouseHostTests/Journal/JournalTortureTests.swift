// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import SeededTesting
import Testing

@testable import GatehouseHost

/// A small journal that a crash has left, with bits that turned, files that were cut off and files that are gone: each start has all
/// that was promised, or refuses with the numbers.
///
/// `GATEHOUSE_FLIPS` says how many bits turn, one at a time; `GATEHOUSE_SEED` which. `make torture-damage` turns 200 in each file.
@Suite struct JournalTortureTests {
    /// Where the remains are damaged.
    private let temporary: TemporaryFolder
    /// The seed of chance.
    private let seed: UInt64
    /// How many bits turn in each file.
    private let flips: Int

    init() throws {
        temporary = try TemporaryFolder()
        let variables = ProcessVariables()
        seed = variables["GATEHOUSE_SEED"] ?? UInt64.random(in: 0..<(1 << 32))
        flips = Int(variables["GATEHOUSE_FLIPS"] ?? 12)
    }

    /// The files of a journal.
    private static let names = ["journal.promise", "journal.sqlite", "journal.sqlite-wal"]

    /// What a crash has left: the files, and what they must have.
    private struct Remains {
        /// The bytes of the files, by name.
        var files: [String: [UInt8]] = [:]
        /// What was acknowledged.
        var history: JournalHistory
        /// The state after each action behind which a snapshot was taken.
        var snapshots: [UInt64: SnapshotContent] = [:]
        /// The names of inputs.
        var names: Set<String> = []
    }

    /// A state.
    private static func content(_ sequence: UInt64) -> SnapshotContent {
        let entry = { (id: String) in
            SavedState.Entry(
                plugin: id, digest: "ab12", pointer: JSONPointer(tokens: [id]),
                state: VersionedState(version: 1, value: ["last": Value(Int(sequence))]), gate: "active",
                position: .active)
        }
        return SnapshotContent(
            SavedState(configured: [:], plain: [:], kept: [:], entries: ["a": entry("a"), "b": entry("b")]))
    }

    /// Lets two hosts write, the first of which ends in order, and takes what the death of the second would leave.
    private func remains() throws -> Remains {
        var remains = Remains(history: JournalHistory(seed: seed))
        let folder = temporary("journal")
        for round in 0..<2 {
            let writer = try JournalWriter(folder: folder)
            for number in 0..<12 {
                let batch = remains.history.batch(inputs: 12, passes: 10)
                for input in batch.inputs { if let id = input.id { remains.names.insert(id) } }
                try writer.commit(batch)
                let sequence = remains.history.nextSequence - 1
                guard number == 2 || number == 7 || (round == 0 && number == 11) else { continue }
                remains.snapshots[sequence] = Self.content(sequence)
                writer.write(
                    JournalSnapshot(sequence: sequence, generation: 1) { () throws(CodingFailure) in
                        Self.content(sequence)
                    })
            }
            if round == 1 {
                // The snapshots are on their way; whatever is there of them now is what the crash leaves.
                for name in Self.names { remains.files[name] = try FileSystem.read(folder + "/" + name) }
            }
            writer.close()
        }
        return remains
    }

    /// Lets a host start on some files.
    ///
    /// - Returns: why it does not; nil where it does, and has everything.
    private func start(on files: [String: [UInt8]], _ remains: Remains, _ place: Comment) throws -> String? {
        let folder = try temporary.makeFolder("damaged")
        defer { FileSystem.removeFolder(folder) }
        for (name, bytes) in files { try FileSystem.write(bytes, to: folder + "/" + name, mode: 0o600) }
        let writer: JournalWriter
        do throws(JournalFailure) {
            writer = try JournalWriter(folder: folder)
        } catch {
            return error.description.replacing(folder, with: "")
        }
        defer { writer.close() }
        let history = remains.history
        do throws(JournalFailure) {
            #expect(writer.start.sequence == history.nextSequence, place)
            #expect(writer.start.input == history.nextInput, place)
            #expect(writer.start.effect == history.nextEffect, place)
            let ids = try writer.ids()
            for name in remains.names { #expect(!ids.insert(name), place) }
            let reader = try PastWalk(folder: folder, acceptsLoss: false).reader
            let open = try reader.openInputs()
            if let damage = open.damage.first {
                throw JournalFailure(reader.path, .reading, .damaged(damage))
            }
            #expect(open.inputs == history.open.sorted { $0.number < $1.number }, place)
            #expect(
                try reader.runningEffects().map(\.key)
                    == history.running.sorted { $0.number < $1.number }.map(\.key), place)
            let snapshot = try reader.snapshots().good.first
            let sequence = snapshot?.sequence ?? 0
            #expect(snapshot?.content == remains.snapshots[sequence], place)
            let cursor = try reader.wholeRecords(from: sequence + 1)
            var found: [[UInt8]] = []
            while let item = try cursor.next() {
                switch item {
                case .record(let record): found.append(record.bytes)
                case .damage(let damage): throw JournalFailure(reader.path, .reading, .damaged(damage))
                }
            }
            #expect(found == history.records.filter { $0.sequence > sequence }.map(\.bytes), place)
            // A restart that follows has it too.
            try writer.commit(JournalBatch(generation: 1, firstSequence: history.nextSequence))
        } catch {
            return error.description.replacing(folder, with: "")
        }
        return nil
    }

    /// Expects that a start has everything, or says what is missing.
    private func expectSafety(on files: [String: [UInt8]], _ remains: Remains, _ words: String) throws -> Bool
    {
        let place: Comment = "seed \(seed), \(words)"
        guard let refusal = try start(on: files, remains, place) else { return true }
        #expect(refusal.hasPrefix("/journal.sqlite: the journal cannot be "), "\(place): \(refusal)")
        #expect(
            refusal.contains(/(action|actions|batch|input|opening|record|snapshot after action) \d/)
                || refusal.contains("journal.promise"),
            "\(place): \(refusal)")
        return false
    }

    @Test func `what a crash has left is whole`() throws {
        let remains = try remains()
        #expect(try start(on: remains.files, remains, "seed \(seed)") == nil)
    }

    @Test(arguments: Self.names) func `after a bit has turned a start has everything or says what is missing`(
        name: String
    )
        throws
    {
        let remains = try remains()
        var generator = SeededGenerator(seed: seed)
        let sound = try #require(remains.files[name])
        for number in 0..<flips {
            var place = Int.random(in: 0..<sound.count, using: &generator)
            // Every other one at the beginning of a page, which says what rows are in it.
            if number % 2 == 1 {
                place = min(
                    place / 4_096 * 4_096 + Int.random(in: 0..<24, using: &generator), sound.count - 1)
            }
            let bit = UInt8.random(in: 0..<8, using: &generator)
            var files = remains.files
            files[name]?[place] ^= 1 << bit
            _ = try expectSafety(on: files, remains, "\(name), byte \(place), bit \(bit)")
        }
    }

    @Test func `after a cut at a page a start has everything or says what is missing`() throws {
        let remains = try remains()
        var refusals = 0
        for (name, unit, head) in [("journal.sqlite", 4_096, 0), ("journal.sqlite-wal", 4_120, 32)] {
            let sound = try #require(remains.files[name])
            let pages = (sound.count - head) / unit
            // A sample where only a few bits turn too.
            let step = flips < 200 ? max(1, pages / flips) : 1
            for page in stride(from: 0, to: pages, by: step) {
                var files = remains.files
                files[name] = Array(sound[..<(head + page * unit)])
                if try !expectSafety(on: files, remains, "\(name) cut to \(page) pages") { refusals += 1 }
            }
        }
        // What the end of the log held may have been a snapshot alone, and was not promised.
        #expect(refusals > 1, "seed \(seed)")
    }

    @Test(arguments: Self.names) func `without one of its files a journal is refused`(name: String) throws {
        let remains = try remains()
        var files = remains.files
        files[name] = nil
        #expect(try !expectSafety(on: files, remains, "without \(name)"))
    }
}

/// The numbers in variables of the environment.
private struct ProcessVariables {
    /// The number in a variable; nil where there is none.
    subscript(name: String) -> UInt64? { SystemFile.variable(name).flatMap { UInt64($0) } }
}
