// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ParallelTests {
    @Test(arguments: [0, 1, 15, 16, 1_000])
    func `each element is taken once and the results keep the order`(count: Int) {
        let calls = Mutex(0)
        let results = Parallel.map(Array(0..<count)) { element in
            calls.withLock { $0 += 1 }
            return element * 2
        }
        #expect(results == (0..<count).map { $0 * 2 })
        #expect(calls.withLock { $0 } == count)
    }

    /// Something that threads could keep.
    private final class Thing: Sendable {}

    @Test func `where no thread can be started the caller does everything, and nothing is kept`() async {
        // In a process of its own, whose user may have no further thread; for root that does not count.
        await #expect(processExitsWith: .exitCode(7)) {
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            guard unsafe setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &none) == 0,
                geteuid() != 0 || setuid(65_534) == 0
            else { exit(1) }
            weak var kept: Thing?
            func results() -> [Int] {
                let thing = Thing()
                kept = thing
                return Parallel.map((0..<16).map { ($0, thing) }) { $0.0 }
            }
            guard results() == Array(0..<16) else { exit(2) }
            exit(kept == nil ? 7 : 3)
        }
    }
}
