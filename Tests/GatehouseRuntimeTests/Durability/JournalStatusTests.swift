// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// The status of a journal as the control socket has it.
@Suite struct JournalStatusTests {
    @Test func `ages are seconds, and a run without a snapshot has none`() {
        var status = JournalStatus(
            mode: .strict, recorded: 9, snapshot: 7, snapshotAge: .milliseconds(1_500), bytes: 4_096,
            epoch: 3,
            images: 2, imageBytes: 100)
        #expect(
            status.value == [
                "mode": "strict", "recorded": 9, "snapshot": 7, "snapshotAge": 1.5, "bytes": 4_096,
                "epoch": 3, "images": ["kept": 2, "bytes": 100],
            ])
        status.snapshot = nil
        status.snapshotAge = nil
        #expect(status.value["snapshot"] == .null)
        #expect(status.value["snapshotAge"] == .null)
    }
}
