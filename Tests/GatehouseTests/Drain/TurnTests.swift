// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import Gatehouse

/// One thread that waits for its turn in a drain.
@Suite(.timeLimit(.minutes(5)))
struct TurnTests {
    private let queue = DrainQueue<IntBody>.numbers(DrainLimits())

    @Test func `a thread that comes to its own offer declines it, and drains itself`() {
        let turn = Turn(of: StoreThread.current, in: queue)
        turn.offer()
        #expect(!turn.isOpen)
        let outcome = turn.wait()
        guard case .declined = outcome else {
            Issue.record("expected the turn to be declined, found \(outcome)")
            return
        }
        // Nobody has the right, so it is free to take.
        let isFree = queue.withExclusiveAccess { queue.isCurrent }
        #expect(isFree)
    }

    @Test func `an offer to a thread that sleeps lends it the right until it gives it back`() {
        let me = StoreThread.current
        #expect(queue.enter(me))
        let turn = Kept<Turn>()
        let (isMade, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let waiting = Threads.start { [queue] in
            let made = Turn(of: StoreThread.current, in: queue)
            turn.value = made
            isMade.signal()
            guard case .lent = made.wait() else { return }
            if queue.isCurrent { hasEnded.signal() }
            made.giveBack()
        }
        isMade.wait()
        turn.value?.offer()
        #expect(queue.isCurrent)
        hasEnded.wait()
        waiting.wait()
        queue.leave()
    }
}
