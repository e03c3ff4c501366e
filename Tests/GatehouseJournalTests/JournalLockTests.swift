// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseJournal
@testable import GatehouseSupport

/// The lock beside a journal: who has it, and that it is let go of.
@Suite(.timeLimit(.minutes(10))) struct JournalLockTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.makeFolder("journal")
    }

    /// Why the lock cannot be had; nil when it can.
    private func refusal() -> JournalFailure? {
        do throws(JournalFailure) {
            try JournalLock(folder: folder).release()
            return nil
        } catch {
            return error
        }
    }

    @Test func `the lock says which process has it, in the place of whoever had it before`() throws {
        try FileSystem.write(Array("99999999999999999999".utf8), to: folder + "/journal.lock")
        let lock = try JournalLock(folder: folder)
        #expect(
            String(decoding: try FileSystem.read(folder + "/journal.lock"), as: UTF8.self) == "\(getpid())")
        #expect(
            refusal()
                == JournalFailure(
                    folder + "/journal.sqlite", .opening, .taken(process: Int(getpid()))))
        lock.release()
    }

    @Test func `a lock that was let go of can be had again`() throws {
        let lock = try JournalLock(folder: folder)
        lock.release()
        #expect(refusal() == nil)
        // Once more harms nobody, also when another one has the number of the file by now.
        let next = try JournalLock(folder: folder)
        lock.release()
        #expect(refusal()?.reason == .taken(process: Int(getpid())))
        next.release()
        #expect(refusal() == nil)
        #expect(try FileSystem.mode(of: folder + "/journal.lock") == 0o600)
    }

    @Test func `a lock goes with the last reference to it`() throws {
        var lock: JournalLock? = try JournalLock(folder: folder)
        withExtendedLifetime(lock) { #expect(refusal() != nil) }
        lock = nil
        #expect(refusal() == nil)
    }

    /// How many descriptors of this process lead to the file of the lock.
    private var descriptors: Int {
        let identity = SystemFile.identity(folder + "/journal.lock")
        return (0..<1_024).count { SystemFile.identity("/proc/self/fd/\($0)") == identity }
    }

    @Test func `whoever has the lock has one descriptor, and who is refused or has let go has none`() throws {
        let lock = try JournalLock(folder: folder)
        #expect(descriptors == 1)
        for _ in 0..<2 { #expect(refusal() != nil) }
        #expect(descriptors == 1)
        lock.release()
        #expect(descriptors == 0)
    }

    @Test func `a number of 32 digits says who has the lock`() throws {
        let lock = try JournalLock(folder: folder)
        let text = String(repeating: "0", count: 31) + "7"
        try FileSystem.write(Array(text.utf8), to: folder + "/journal.lock")
        #expect(refusal()?.reason == .taken(process: 7))
        lock.release()
    }

    @Test(arguments: ["nobody", "", String(repeating: "0", count: 32) + "7"])
    func `whoever has the lock is unknown where no number says so`(text: String) throws {
        let lock = try JournalLock(folder: folder)
        try FileSystem.write(Array(text.utf8), to: folder + "/journal.lock")
        #expect(refusal()?.reason == .taken(process: nil))
        lock.release()
    }

    @Test func `a lock is no link to another file`() throws {
        try FileSystem.link(folder + "/journal.lock", to: temporary("elsewhere"))
        #expect(
            refusal()
                == JournalFailure(
                    folder + "/journal.sqlite", .opening,
                    .system(call: "open \(folder)/journal.lock", code: ELOOP)))
        #expect(!FileSystem.exists(temporary("elsewhere")))
    }
}
