// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import GatehouseHost

@Suite(.timeLimit(.minutes(10))) struct WorkersTests {
    @Test(arguments: [0, 1, 15, 16, 1_000])
    func `each element is taken once and the results keep the order`(count: Int) {
        let calls = Mutex(0)
        let results = Workers.map(Array(0..<count)) { element in
            calls.withLock { $0 += 1 }
            return element * 2
        }
        #expect(results == (0..<count).map { $0 * 2 })
        #expect(calls.withLock { $0 } == count)
    }
}
