// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a thread wants done in the drain, and does not wait for without end.
@Suite(.timeLimit(.minutes(10))) struct DrainJobTests {
    /// Counts how often something was done.
    private final class Count: Sendable {
        let number = Mutex(0)

        /// Does it once more.
        func add() { number.withLock { $0 += 1 } }

        var now: Int { number.withLock { $0 } }
    }

    @Test func `what the drain has done is done for who waits, and never again`() {
        let count = Count()
        let job = DrainJob { count.add() }
        job.run()
        #expect(job.wait(atMost: .zero))
        job.run()
        #expect(count.now == 1)
    }

    @Test func `what was given up before the drain came to it does not happen later`() {
        let count = Count()
        let job = DrainJob { count.add() }
        #expect(!job.wait(atMost: .milliseconds(1)))
        job.run()
        #expect(count.now == 0)
    }

    @Test func `what the drain has begun is waited for beyond the limit`() async throws {
        let (begun, isLetGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Count()
        let job = DrainJob {
            begun.signal()
            isLetGo.wait()
            count.add()
        }
        async let drain: Void = TestThread.value { job.run() }
        let found = try await TestThread.value {
            begun.wait()
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { isLetGo.signal() }
            return (job.wait(atMost: .zero), count.now)
        }
        #expect(found.0)
        #expect(found.1 == 1)
        try await drain
    }

    @Test func `a question to a host that is busy is told by whom, and is not answered later`() async throws {
        let reporter = Reporter { Issue.record("\($0)") }
        let host = Host(
            try Assembly(
                linking: [],
                dependencies: HostDependencies(
                    clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                    report: { reporter.send($0) })),
            reports: reporter)
        let count = Count()
        let core = host.store
        host.queue.withExclusiveAccess {
            // The drain is this thread's, and comes to nothing else until this returns.
            let isAsked = DispatchSemaphore(value: 0)
            BackgroundThread.perform {
                #expect(throws: DrainBusy(instance: nil, limit: .milliseconds(1))) {
                    try core.between(.milliseconds(1)) { count.add() }
                }
                isAsked.signal()
            }
            isAsked.wait()
        }
        // What waits is done before anything is asked here.
        host.queue.withExclusiveAccess {}
        host.settle()
        #expect(count.now == 0)
        #expect(try core.between { 7 } == 7)
        #expect(count.now == 0)
    }
}
