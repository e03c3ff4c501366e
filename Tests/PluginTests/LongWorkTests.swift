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
            told.lines.withLock { $0.append("\(limit.components.seconds)") }
            return { told.lines.withLock { $0.append("end") } }
        }
    }

    @Test func `work has an hour at most, and no less than no time`() {
        for limit in [.seconds(7_200), .seconds(3_600), .seconds(3_599), .zero, .seconds(-1)] as [Duration] {
            _ = longWork.announce(upTo: limit)
        }
        #expect(told.all == ["3600", "3600", "3599", "0", "0"])
    }

    @Test func `work ends for the host when it returns or throws, and not before`() throws {
        let lines = longWork(upTo: .seconds(1)) { told.all }
        #expect(lines == ["1"])
        #expect(throws: CancellationError.self) {
            try longWork(upTo: .seconds(2)) { throw CancellationError() }
        }
        #expect(told.all == ["1", "end", "2", "end"])
    }
}
