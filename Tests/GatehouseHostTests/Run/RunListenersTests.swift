// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehouseHost

/// Who has which socket, and how long.
@Suite struct RunListenersTests {
    /// Counts calls.
    private final class Calls: Sendable {
        let count = Mutex(0)
    }

    private let any = ListeningAddress.port(host: "127.0.0.1", 0)

    /// Whether somebody can connect.
    private func isOpen(_ address: ListeningAddress) -> Bool {
        guard case .port(_, let port) = address else { return false }
        return (try? LocalConnection(port: Int(port))) != nil
    }

    @Test func `a socket that is given back is closed, and can be opened again`() throws {
        let listeners = RunListeners()
        let first = try listeners.listeners(for: "a").listen(at: any)
        #expect(isOpen(first.address))
        #expect(listeners.areUsed)
        first.giveBack()
        first.giveBack()
        #expect(!isOpen(first.address))
        #expect(!listeners.areUsed)
        let again = try listeners.listeners(for: "b").listen(at: first.address)
        #expect(again.address == first.address)
    }

    @Test func `an address belongs to one instance, and every instance gets a free port of its own`() throws {
        let listeners = RunListeners()
        let first = try listeners.listeners(for: "a").listen(at: any)
        let other = try listeners.listeners(for: "b").listen(at: any)
        #expect(first.address != other.address)
        let third = try listeners.listeners(for: "c").listen(
            at: .port(host: "127.0.0.1", UInt16(LocalPort.free())))
        #expect(
            throws: ListeningFailure(
                "\(third.address): the instance c listens there already; set \"listen\" of one of them to another place"
            )
        ) { try listeners.listeners(for: "d").listen(at: third.address) }
    }

    @Test
    func `what is given back during a reload stays open for the next generation, or is closed behind it`()
        throws
    {
        let listeners = RunListeners()
        let (kept, gone) = (
            try listeners.listeners(for: "a").listen(at: any),
            try listeners.listeners(for: "b").listen(at: any)
        )
        listeners.hold()
        kept.giveBack()
        gone.giveBack()
        #expect(isOpen(kept.address) && isOpen(gone.address))
        #expect(listeners.areUsed)
        let next = try listeners.listeners(for: "a").listen(at: any)
        #expect(next.address == kept.address)
        listeners.settle()
        #expect(isOpen(next.address))
        #expect(!isOpen(gone.address))
    }

    @Test func `who waits is told when nobody listens any more`() throws {
        let listeners = RunListeners()
        let ends = Calls()
        listeners.onEnd { ends.count.withLock { $0 += 1 } }
        let (one, two) = (
            try listeners.listeners(for: "a").listen(at: any),
            try listeners.listeners(for: "b").listen(at: any)
        )
        one.giveBack()
        #expect(ends.count.withLock(\.self) == 0)
        two.giveBack()
        #expect(ends.count.withLock(\.self) == 1)
    }

    @Test func `sockets that were kept over a crash are lent to who had them, and the others are closed`()
        throws
    {
        var manager = HandedSockets()
        let before = RunListeners()
        let (found, lost) = (
            try before.listeners(for: "a").listen(at: any), try before.listeners(for: "b").listen(at: any)
        )
        manager.keep(dup(found.descriptor), as: RunListeners.name(of: any, for: "a"))
        manager.keep(dup(lost.descriptor), as: RunListeners.name(of: any, for: "b"))
        found.giveBack()
        lost.giveBack()
        let after = RunListeners(manager, keeper: nil)
        let again = try after.listeners(for: "a").listen(at: any)
        #expect(again.address == found.address)
        #expect(isOpen(lost.address))
        after.settle()
        #expect(!isOpen(lost.address))
        #expect(isOpen(again.address))
    }

    @Test func `the socket of a socket unit is lent to who asks for its address, and stays open`() throws {
        let own = try any.open()
        let address = try #require(ListeningAddress(of: own))
        var manager = HandedSockets()
        manager.keep(own, as: "web")
        let listeners = RunListeners(manager, keeper: nil)
        let first = try listeners.listeners(for: "a").listen(at: address)
        listeners.settle()
        first.giveBack()
        #expect(isOpen(address))
        #expect(try listeners.listeners(for: "b").listen(at: address).address == address)
    }
}
