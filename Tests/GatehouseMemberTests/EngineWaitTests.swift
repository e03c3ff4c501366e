// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10))) struct EngineWaitTests {
    /// How often somebody was asked to wake the sleeper.
    private final class Calls: Sendable {
        let count = Atomic(0)
    }

    /// A wait, and its calls.
    private func wait() -> (EngineWait, Calls) {
        let calls = Calls()
        return (EngineWait { calls.count.add(1, ordering: .relaxed) }, calls)
    }

    @Test func `whoever does not wait has nobody woken, and may not wait next`() {
        let (wait, calls) = wait()
        #expect(wait.sleeper == nil)
        wait.call()
        #expect(wait.sleeper == nil)
        #expect(calls.count.load(ordering: .relaxed) == 0)
        var mayWait: [Bool] = []
        for _ in 0..<3 { wait.during(1) { mayWait.append($0) } }
        #expect(mayWait == [false, true, true])
        #expect(wait.sleeper == nil)
    }

    @Test(arguments: [1, 7]) func `a call has the connection woken at which one waits`(connection: Int) {
        let (wait, calls) = wait()
        wait.during(connection) { mayWait in
            #expect(mayWait)
            #expect(wait.sleeper == nil)
            wait.call()
            #expect(wait.sleeper == connection)
            wait.call()
            #expect(calls.count.load(ordering: .relaxed) == 2)
        }
        #expect(wait.sleeper == nil)
        wait.call()
        #expect(calls.count.load(ordering: .relaxed) == 2)
        wait.during(connection) { mayWait in #expect(!mayWait) }
    }

    @Test func `an error goes through, and nobody waits after it`() {
        struct Failure: Error, Equatable {}
        let (wait, _) = wait()
        #expect(throws: Failure()) {
            try wait.during(3) { _ throws(Failure) in
                wait.call()
                throw Failure()
            }
        }
        #expect(wait.sleeper == nil)
    }
}
