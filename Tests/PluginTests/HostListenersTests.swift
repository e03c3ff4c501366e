// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

/// Sockets that a host lends.
@Suite(.timeLimit(.minutes(10))) struct HostListenersTests {
    /// How often something happened, and what was seen then.
    private final class Seen: Sendable {
        let all = Mutex<[Bool]>([])
    }

    @Test func `a listener that is given back is closed first, and told once`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.sock")
        let address = ListeningAddress.path(path)
        let seen = Seen()
        let listener = BorrowedListener(descriptor: try address.open(), address: address) {
            let isOpen = (try? LocalConnection(path)) != nil
            seen.all.withLock { $0.append(isOpen) }
        }
        #expect((try? LocalConnection(path)) != nil)
        for _ in 0..<2 { listener.giveBack() }
        #expect(seen.all.withLock { $0 } == [false])
    }

    @Test func `a listener that nobody holds any more is given back`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.sock")
        var listener: BorrowedListener? = try HostListeners().listen(at: .path(path))
        #expect(listener?.address == .path(path))
        #expect((try? LocalConnection(path)) != nil)
        listener = nil
        #expect((try? LocalConnection(path)) == nil)
        #expect(!FileSystem.exists(path))
    }

    @Test func `a port that the system chose is the address of its listener`() throws {
        let listener = try HostListeners().listen(at: .port(host: "127.0.0.1", 0))
        #expect(listener.address == ListeningAddress(of: listener.descriptor))
        #expect(listener.address != .port(host: "127.0.0.1", 0))
        #expect(throws: ListeningFailure.self) { try HostListeners().listen(at: listener.address) }
        listener.giveBack()
    }

    @Test func `what a host refuses is refused`() {
        let listeners = HostListeners { _ throws(ListeningFailure) in throw ListeningFailure("not here") }
        #expect(throws: ListeningFailure("not here")) {
            try listeners.listen(at: .port(host: "127.0.0.1", 0))
        }
    }
}
