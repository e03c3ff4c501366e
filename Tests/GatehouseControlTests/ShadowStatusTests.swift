// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseControl

/// What clients are told of a shadow.
struct ShadowStatusTests {
    /// A shadow that heard nine actions.
    private func status(_ stage: ShadowStatus.Stage, digest: String? = nil, account: Value? = nil)
        -> ShadowStatus
    {
        ShadowStatus(
            id: "next", of: "till", digest: digest, stage: stage, heard: 9, differing: 2, account: account,
            lines: ["one", "two"])
    }

    @Test func `one that hears is told with its numbers and the words for people`() {
        #expect(
            status(.hearing).value.json()
                == #"{"id":"next","of":"till","stage":"hearing","heard":9,"differing":2,"text":"one\ntwo\n"}"#
        )
        #expect(
            status(.hearing).summary.json()
                == #"{"id":"next","of":"till","stage":"hearing","heard":9,"differing":2}"#)
    }

    @Test func `one that has ended says why`() {
        #expect(
            status(.ended(["it died"]), digest: "ab", account: ["same": 7]).value.json()
                == #"{"id":"next","of":"till","stage":"ended","heard":9,"differing":2,"digest":"ab","reasons":["it died"],"account":{"same":7},"text":"one\ntwo\n"}"#
        )
        #expect(status(.ended([])).summary["stage"] == "ended")
    }
}
