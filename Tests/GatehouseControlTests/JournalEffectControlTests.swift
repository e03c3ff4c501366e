// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseJournal

/// Effects under way as clients see them.
@Suite struct JournalEffectControlTests {
    @Test func `an effect is told with the action that began it, and without its key`() {
        var effect = JournalEffect(
            number: 7, instance: "mail", sequence: 1, key: "secret", action: AnyAction("mail/send"))
        effect.attempt = 2
        #expect(
            effect.underWay == [
                "instance": "mail", "attempt": 2, "recovery": "tell", "action": 1, "type": "mail/send",
            ])
    }

    @Test func `where no action is known, or nobody else knows its number, there is none`() {
        let start = JournalEffect(number: 1, instance: "mail", sequence: 0, key: "secret")
        #expect(start.underWay == ["instance": "mail", "attempt": 1, "recovery": "tell"])
        let unrecorded = JournalEffect(number: 1, instance: "mail", sequence: 9, key: "")
        #expect(unrecorded.underWay == ["instance": "mail", "attempt": 1, "recovery": "tell"])
    }
}
