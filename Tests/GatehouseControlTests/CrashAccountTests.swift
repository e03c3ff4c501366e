// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseControl

/// What clients are told of a host's crashes.
struct CrashAccountTests {
    @Test
    func `deaths are told by instance in the order of their names, restarts where somebody counts them`() {
        var account = CrashAccount(restarts: nil, deaths: ["b": 2, "a": 1], quarantined: 3, setAside: 4)
        #expect(account.value.json() == #"{"deaths":{"a":1,"b":2},"quarantined":3,"setAside":4}"#)
        account.restarts = 0
        #expect(
            account.value.json() == #"{"deaths":{"a":1,"b":2},"quarantined":3,"setAside":4,"restarts":0}"#)
    }
}
