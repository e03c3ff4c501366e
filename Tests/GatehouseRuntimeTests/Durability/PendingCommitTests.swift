// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseJournal
@testable import GatehouseRuntime

/// A thread that sleeps for a commit is told how it ended.
@Suite(.timeLimit(.minutes(10))) struct PendingCommitTests {
    /// Why something is not on the disk.
    private let failure = JournalFailure("a", .writing, .closed)

    @Test func `a commit that has ended is not waited for`() throws {
        let good = PendingCommit()
        good.finish(nil)
        try good.wait()
        let bad = PendingCommit()
        bad.finish(failure)
        #expect(throws: failure) { try bad.wait() }
    }

    @Test func `a thread waits until the commit has ended`() async throws {
        let failure = failure
        for result in [nil, failure] {
            let commit = PendingCommit()
            let thread = try TestThread { () -> JournalFailure? in
                do throws(JournalFailure) {
                    try commit.wait()
                    return nil
                } catch {
                    return error
                }
            }
            commit.finish(result)
            #expect(try thread.join() == result)
        }
    }
}
