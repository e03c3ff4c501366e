// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Glibc
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseSupport

/// When a log is synced and written back, and what is promised then.
@Suite(.timeLimit(.minutes(10))) struct JournalMaintainerTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.makeFolder("journal")
    }

    /// The journal's file.
    private var path: String { folder + "/journal.sqlite" }

    /// An opened journal, and what maintains it.
    private func open(_ mode: JournalMode) throws -> (opening: JournalOpening, maintainer: JournalMaintainer)
    {
        var options = JournalWriter.Options(mode: mode)
        options.system = LossyDisk.register()
        let opening = try JournalOpening(folder: folder, options)
        let maintainer = try JournalMaintainer(
            path: path, isStrict: mode == .strict, opening.safety, system: options.system)
        return (opening, maintainer)
    }

    /// How far a journal goes whose opening is the first, after some action.
    private func extent(_ sequence: UInt64) -> JournalExtent {
        JournalExtent(batch: 1, sequence: sequence, epoch: 1)
    }

    /// What is promised.
    private func promised() throws -> JournalExtent? {
        try JournalPromise.read(folder: folder).content?.extent
    }

    @Test func `in relaxed mode the log is synced when something was written, and then promised`() throws {
        let (opening, maintainer) = try open(.relaxed)
        #expect(maintainer.start())
        for sequence in 1...3 as ClosedRange<UInt64> {
            var batch = JournalBatch(generation: 1, firstSequence: sequence)
            batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
            try opening.committer.write([.batch(batch, nil)])
            let calls = LossyDisk.count(.sync, of: path + "-wal")
            maintainer.note(logPages: 1, extent(sequence))
            LossyDisk.awaitSync(of: path + "-wal")
            #expect(LossyDisk.count(.sync, of: path + "-wal") == calls + 1)
        }
        let calls = LossyDisk.count(.sync, of: path + "-wal")
        maintainer.note(logPages: 1, extent(9))
        maintainer.stop()
        #expect(LossyDisk.count(.sync, of: path + "-wal") == calls + 1)
        #expect(try promised() == extent(9))
    }

    @Test func `in strict mode nothing is left to be synced or promised`() throws {
        let (opening, maintainer) = try open(.strict)
        let calls = LossyDisk.count(.sync, of: path + "-wal")
        #expect(maintainer.start())
        maintainer.note(logPages: 1_023, extent(9))
        maintainer.stop()
        #expect(LossyDisk.count(.sync, of: path + "-wal") == calls)
        #expect(try promised() == opening.committer.extent)
    }

    @Test func `a log of 1,024 pages is written back, and a failure to do so is told`() throws {
        let (opening, maintainer) = try open(.strict)
        let failure = WaitingNote<JournalFailure>()
        maintainer.onFailure = { failure.tell($0) }
        LossyDisk.fail(.write, of: path, code: 778, system: EIO)
        #expect(maintainer.start())
        maintainer.note(logPages: 1_024, opening.committer.extent)
        let told = failure.wait()
        #expect(told.path == path)
        #expect(told.step == .writing)
        guard case .database(let error) = told.reason else {
            Issue.record("\(told)")
            return
        }
        #expect(error.code == 778)
        #expect(error.systemCode == EIO)
        maintainer.stop()
        LossyDisk.heal(path)
    }

    @Test func `a log of 8,192 pages is written back once more while nobody writes`() throws {
        let (opening, maintainer) = try open(.strict)
        #expect(maintainer.start())
        let calls = LossyDisk.count(.sync, of: path)
        try maintainer.withoutCheckpoint { () throws(JournalFailure) in
            maintainer.note(logPages: 8_192, opening.committer.extent)
            // The first time does not wait for its turn.
            while LossyDisk.count(.sync, of: path) == calls { sched_yield() }
            try opening.committer.write([.batch(JournalBatch(generation: 1, firstSequence: 1), nil)])
        }
        maintainer.stop()
        #expect(LossyDisk.count(.sync, of: path) == calls + 2)
    }

    /// How many threads of this process are running, this one included.
    private static func running() -> Int {
        FileSystem.names(in: "/proc/self/task").count { name in
            let status = (try? FileSystem.read("/proc/self/task/\(name)/stat")) ?? []
            return String(decoding: status, as: UTF8.self).split(separator: ") ").last?.first == "R"
        }
    }

    @Test func `the thread sleeps while there is nothing to do`() async {
        // In a process of its own, in which no other test is at work.
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryFolder()
            let opening = try JournalOpening(folder: temporary.path, JournalWriter.Options())
            let maintainer = try JournalMaintainer(
                path: temporary("journal.sqlite"), isStrict: true, opening.safety, system: nil)
            guard maintainer.start() else { exit(1) }
            let end = ContinuousClock.now + .seconds(10)
            while Self.running() > 1 {
                if ContinuousClock.now > end { exit(2) }
                sched_yield()
            }
            maintainer.stop()
        }
    }

    @Test func `a log of fewer pages is left as it is`() throws {
        let (_, maintainer) = try open(.relaxed)
        let failures = Mutex<[JournalFailure]>([])
        maintainer.onFailure = { failure in failures.withLock { $0.append(failure) } }
        LossyDisk.fail(.write, of: path, code: 778, system: EIO)
        #expect(maintainer.start())
        maintainer.note(logPages: 1_023, extent(1))
        maintainer.stop()
        #expect(failures.withLock { $0.isEmpty })
        #expect(try promised() == extent(1))
        LossyDisk.heal(path)
    }

    @Test func `a log that cannot be synced is told, and nothing is promised`() throws {
        let (opening, maintainer) = try open(.relaxed)
        let failure = WaitingNote<JournalFailure>()
        maintainer.onFailure = { failure.tell($0) }
        LossyDisk.fail(.sync, of: path + "-wal", code: 1_034, system: EIO)
        #expect(maintainer.start())
        maintainer.note(logPages: 1, extent(9))
        guard case .database(let error) = failure.wait().reason else {
            Issue.record("another reason")
            return
        }
        #expect(error.code == 1_034)
        maintainer.stop()
        #expect(try promised() == opening.committer.extent)
        LossyDisk.heal(path + "-wal")
    }

    @Test func `whoever writes is not disturbed, and its failure comes back`() throws {
        let (_, maintainer) = try open(.strict)
        #expect(maintainer.start())
        let failure = JournalFailure("a", .writing, .closed)
        #expect(throws: failure) {
            try maintainer.withoutCheckpoint { () throws(JournalFailure) in throw failure }
        }
        let isDone = Mutex(false)
        try maintainer.withoutCheckpoint { () throws(JournalFailure) in isDone.withLock { $0 = true } }
        #expect(isDone.withLock { $0 })
        maintainer.stop()
    }

    // MARK: - Safety

    @Test(arguments: [JournalMode.strict, .relaxed])
    func `what is committed is promised at once in strict mode, and in relaxed mode when it is synced`(
        mode: JournalMode
    ) throws {
        let opening = try JournalOpening(folder: folder, JournalWriter.Options(mode: mode))
        let before = opening.committer.extent
        #expect(try promised() == before)
        try opening.safety.committed(extent(9))
        #expect(try promised() == (mode == .strict ? extent(9) : before))
        try opening.safety.synced(extent(12))
        #expect(try promised() == extent(12))
    }

    @Test(arguments: ["journal.sqlite", "journal.sqlite-wal", "journal.promise"])
    func `a file that is another one by now is noticed after a commit`(name: String) throws {
        let opening = try JournalOpening(folder: folder, JournalWriter.Options())
        let bytes = try FileSystem.read(folder + "/" + name)
        try FileSystem.rename(folder + "/" + name, to: temporary("elsewhere"))
        try FileSystem.write(bytes, to: folder + "/" + name)
        #expect(throws: JournalFailure(path, .writing, .gone(path: folder + "/" + name))) {
            try opening.safety.committed(extent(9))
        }
        #expect(try promised() == opening.committer.extent)
    }
}
