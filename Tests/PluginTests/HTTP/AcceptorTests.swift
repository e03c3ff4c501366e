// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import HTTPPlugin

/// The acceptor of a server.
@Suite(.timeLimit(.minutes(5))) struct AcceptorTests {
    @Test func `the socket is given back when everybody is in who was on the way`() async throws {
        let folder = try TemporaryFolder()
        let address = ListeningAddress.path(folder("door"))
        let events = Mutex<[String]>([])
        let listener = BorrowedListener(descriptor: try address.open(), address: address) {
            events.withLock { $0.append("given back") }
        }
        let (arrivals, tell) = AsyncStream<Void>.makeStream()
        let hurry = DispatchSemaphore(value: 0)
        let acceptor = Acceptor(at: listener) {
            tell.yield()
            hurry.wait()
            // Whoever does not wait for this is ahead of it.
            for _ in 0..<1_000 { sched_yield() }
            events.withLock { $0.append("in") }
            return EAGAIN
        }
        let client = try LocalConnection(folder("door"))
        for await _ in arrivals { break }
        acceptor.close {
            events.withLock { $0.append("closed") }
            hurry.signal()
        }
        #expect(events.withLock { $0 } == ["closed", "in", "given back"])
        client.close()
    }
}
