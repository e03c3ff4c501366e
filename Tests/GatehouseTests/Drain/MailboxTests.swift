// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

/// What threads leave for the one that drains.
@Suite(.timeLimit(.minutes(5)))
struct MailboxTests {
    @Test func `letters come out in the order in which they were left, and once`() {
        let mailbox = Mailbox<Int>()
        #expect(mailbox.isEmpty)
        for number in 1...3 { mailbox.post(.element(number)) }
        #expect(!mailbox.isSurelyEmpty)
        var letters: [Mailbox<Int>.Letter] = []
        mailbox.swap(&letters)
        #expect(mailbox.isEmpty)
        #expect(letters.map { if case .element(let number) = $0 { number } else { 0 } } == [1, 2, 3])
        letters.removeAll()
        mailbox.swap(&letters)
        #expect(letters.isEmpty)
    }

    @Test func `a queue whose mail has grown once keeps the room for as much again`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        queue.open(
            IntBody { [unowned queue] element in
                if element < 0 { for number in 0..<1000 { queue.mailbox.post(.element(number)) } }
            })
        for _ in 0..<2 { queue.dispatch(-1) }
        #expect(queue.buffers.count == 1)
        for buffer in queue.buffers + [queue.mailbox.letters] {
            #expect(buffer.isEmpty)
            #expect(buffer.capacity >= 1000)
        }
        queue.withExclusiveAccess { queue.close() }
    }
}
