// SPDX-License-Identifier: Apache-2.0

import CAllocations
import Dispatch
import Synchronization
import Testing

@testable import Gatehouse

/// The counter that threads sleep on.
@Suite(.timeLimit(.minutes(10)))
struct SemaphoreTests {
    @Test func `each signal lets one wait return, and none does without`() {
        let semaphore = Semaphore()
        for _ in 0..<2 { semaphore.signal() }
        for _ in 0..<2 { semaphore.wait() }
        let isSignalled = Atomic<Bool>(false)
        let wasSignalled = Atomic<Bool>(false)
        let begins = DispatchSemaphore(value: 0)
        let ended = Threads.start {
            begins.signal()
            semaphore.wait()
            wasSignalled.store(isSignalled.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
        }
        begins.wait()
        isSignalled.store(true, ordering: .sequentiallyConsistent)
        semaphore.signal()
        ended.wait()
        let isInTime = wasSignalled.load(ordering: .relaxed)
        #expect(isInTime)
    }

    @Test func `what waits, waits in the memory that it gives back`() async {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            guard allocations_are_counted() else { return }
            let before = bytes_in_use()
            for _ in 0..<10_000 { Semaphore().signal() }
            let after = bytes_in_use()
            if after > before + 64 * 1024 { print("the heap grew from \(before) to \(after) bytes") }
        }
        #expect(String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self) == "")
    }
}
