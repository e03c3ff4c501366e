// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Gatehouse

/// Threads that end with their work.
@Suite(.timeLimit(.minutes(10)))
struct StoreThreadTests {
    /// An object that the work of a thread holds.
    private final class Held: Sendable {}

    @Test func `without a thread to be had nothing is done, and what the work holds is let go`() async {
        await #expect(processExitsWith: .success) {
            Self.refuseThreads()
            weak var held: Held?
            do {
                let own = Held()
                held = own
                let hasBegun = StoreThread.start { [own] in
                    withExtendedLifetime(own) {}
                    exit(1)
                }
                if hasBegun { exit(2) }
            }
            exit(held == nil ? 0 : 3)
        }
    }

    @Test func `a caller that finds no thread to hand over to does all itself`() async {
        await #expect(processExitsWith: .success) {
            let queue = DrainQueue<IntBody>.numbers(DrainLimits())
            let last = 2 * Drain.patience + 7
            let me = StoreThread.current
            nonisolated(unsafe) var taken = 0
            queue.open(
                IntBody { [unowned queue] element in
                    if StoreThread.current != me { exit(1) }
                    if unsafe element != taken { exit(2) }
                    unsafe taken += 1
                    // Each element finds the next one in the mail when it is done.
                    if element < last { queue.mailbox.post(.element(element + 1)) }
                })
            Self.refuseThreads()
            queue.dispatch(0)
            if unsafe taken != last + 1 { exit(3) }
            // It has given up the right, and may take it again.
            exit(queue.withExclusiveAccess { queue.isCurrent } && !queue.isCurrent ? 0 : 4)
        }
    }

    /// Leaves this process as much memory as it has, and less than a thread needs for its stack.
    private static func refuseThreads() {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { exit(10) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, 256, file) != nil else { exit(11) }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let pages = text.split(separator: " ").first.flatMap({ rlim_t($0) }) else { exit(12) }
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        limit.rlim_cur = pages * rlim_t(sysconf(Int32(_SC_PAGESIZE))) + 4 << 20
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    }
}
