// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

/// What is announced to the host because it takes long.
@Suite(.timeLimit(.minutes(10))) struct LongWorkTests {
    /// What the host was told.
    private final class Told: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
    }

    private let told = Told()

    private var longWork: LongWork {
        LongWork { [told] limit in
            told.lines.withLock { $0.append("\(limit)") }
            return { told.lines.withLock { $0.append("end") } }
        }
    }

    @Test func `work ends for the host when it returns or throws, and not before`() throws {
        let lines = longWork(upTo: .seconds(1)) { told.all }
        #expect(lines == ["1.0 seconds"])
        #expect(throws: CancellationError.self) {
            try longWork(upTo: .seconds(2)) { throw CancellationError() }
        }
        #expect(told.all == ["1.0 seconds", "end", "2.0 seconds", "end"])
    }
}
