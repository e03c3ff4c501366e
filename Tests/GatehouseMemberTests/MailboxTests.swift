// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseMember
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(1))) struct MailboxTests {
    @Test func `messages are taken once, in order`() {
        let mailbox = Mailbox<Int>()
        #expect(mailbox.takeAll() == [])
        for number in 1...3 { mailbox.send(number) }
        // It does not block: the pipe has been woken.
        mailbox.pipe.wait()
        #expect(mailbox.takeAll() == [1, 2, 3])
        #expect(mailbox.takeAll() == [])
        mailbox.send(4)
        mailbox.pipe.wait()
        #expect(mailbox.takeAll() == [4])
    }
}
