// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseHistory
@testable import GatehouseJournal

/// What two logs of consequences say of each other, byte by byte.
@Suite struct ConsequenceLogTests {
    /// A log of actions, each with the payloads of its consequences.
    private func log(_ steps: [Int]..., by instance: String = "i") -> ConsequenceLog {
        var log = ConsequenceLog()
        for step in steps {
            for payload in step {
                let bytes = Array(#"{"type":"a","payload":\#(payload)}"#.utf8)
                log.append(
                    JournalRecord(
                        sequence: 1, epoch: 1, generation: 1, batchTime: 0, cause: .unknown, file: "in",
                        line: 1, instance: instance, time: nil, bytes: bytes, encodingFailure: nil))
            }
            log.finish()
        }
        return log
    }

    @Test func `the same consequences are the same wherever they are in the logs`() {
        #expect(log([1, 23]).isSame(0, as: log([1, 23])))
        #expect(log([1, 23], [4, 5]).isSame(1, as: log([6], [4, 5])))
        #expect(log([]).isSame(0, as: log([])))
    }

    @Test func `others are not, be it in their number, their bytes or their instance`() {
        #expect(!log([1, 2]).isSame(0, as: log([1])))
        #expect(!log([1, 2]).isSame(0, as: log([1, 3])))
        #expect(!log([1, 23]).isSame(0, as: log([12, 3])))
        #expect(!log([1]).isSame(0, as: log([1], by: "j")))
    }
}
