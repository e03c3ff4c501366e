// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

@testable import GatehouseSupport

/// Who learns that a run is to end, and why.
@Suite(.timeLimit(.minutes(10))) struct StopRequestTests {
    /// Counts calls.
    private final class Calls: Sendable {
        let count = Atomic(0)
        func add() { count.wrappingAdd(1, ordering: .relaxed) }
        var now: Int { count.load(ordering: .relaxed) }
    }

    /// Whether a request can be seen at its descriptor.
    private func isReadable(_ request: StopRequest) -> Bool {
        var watched = pollfd(fd: request.descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, 0) == 1
    }

    @Test func `the first reason counts, and everybody sees it from then on`() {
        let request = StopRequest()
        #expect(!request.isAsked && request.reason == nil && !isReadable(request))
        request.ask(.signal(15))
        request.ask(.control)
        #expect(request.isAsked && request.reason == .signal(15))
        #expect(isReadable(request))
        // It stays so: nobody waits any more.
        request.wait(atMost: -1)
        request.wait(atMost: -1)
    }

    @Test(arguments: [
        (StopRequest.Reason.signal(2), true), (.control, true), (.outputFailed(EPIPE), false),
        (.journalFailed, false), (.clusterFailed, false),
    ])
    func `whoever asked to hear of a wanted end is called once, early or late`(
        reason: StopRequest.Reason, isWanted: Bool
    ) {
        #expect(reason.isWanted == isWanted)
        let (request, early, late) = (StopRequest(), Calls(), Calls())
        request.onAsk { early.add() }
        #expect(early.now == 0)
        request.ask(reason)
        request.ask(.control)
        #expect(early.now == (isWanted ? 1 : 0))
        request.onAsk { late.add() }
        #expect(late.now == (isWanted ? 1 : 0))
    }

    @Test func `pipes that wait for something else are woken too, early or late`() {
        let (request, early, late) = (StopRequest(), WakePipe(), WakePipe())
        request.wake(early)
        request.ask(.control)
        early.wait()
        request.wake(late)
        late.wait()
    }
}
