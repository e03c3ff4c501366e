// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPClientPlugin

/// How many requests proceed at a time, and which.
@Suite(.timeLimit(.minutes(10))) struct RequestQueueTests {
    @Test func `so many proceed, so many wait, and no more are taken`() async {
        let queue = RequestQueue(concurrency: 2, limit: 1)
        var tickets = (0..<3).map { _ in queue.ticket() }
        #expect(tickets.allSatisfy { $0 != nil })
        #expect(queue.waiting == 1)
        #expect(queue.ticket() == nil)
        await tickets[0]?.turn()
        await tickets[1]?.turn()
        tickets[1] = nil
        #expect(queue.waiting == 0)
        await tickets[2]?.turn()
        #expect(queue.ticket() != nil)
    }

    @Test func `requests come to their turn in the order in which they came`() async {
        let queue = RequestQueue(concurrency: 1, limit: 3)
        var tickets = (0..<4).map { _ in queue.ticket() }
        for number in 0..<4 {
            #expect(queue.waiting == 3 - number)
            await tickets[number]?.turn()
            tickets[number] = nil
        }
    }

    @Test func `one that waits and is given up leaves its place to others`() async {
        let queue = RequestQueue(concurrency: 1, limit: 1)
        var tickets = (0..<2).map { _ in queue.ticket() }
        #expect(queue.ticket() == nil)
        tickets[1] = nil
        #expect(queue.waiting == 0)
        let next = queue.ticket()
        #expect(next != nil)
        tickets[0] = nil
        await next?.turn()
    }

    @Test func `a wait ends when its task is cancelled, and the place stays`() async {
        let queue = RequestQueue(concurrency: 1, limit: 1)
        let (first, second) = (queue.ticket(), queue.ticket())
        let waiting = Task { await second?.turn() }
        waiting.cancel()
        await waiting.value
        #expect(queue.waiting == 1)
        withExtendedLifetime((first, second)) {}
    }
}
