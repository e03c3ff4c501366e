// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehouseControl
@testable import GatehouseRuntime

/// Who has which socket, and how long.
@Suite(.timeLimit(.minutes(10))) struct RunListenersTests {
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

    @Test func `sockets are closed with the table of their run, also those that nobody has given back`()
        throws
    {
        let address = try RunListeners().listeners(for: "a").listen(at: any).address
        #expect(!isOpen(address))
    }

    @Test func `what somebody has put in the place of a socket stays when the socket is closed`() throws {
        let folder = try TemporaryFolder()
        let address = ListeningAddress.path(folder("in.sock"))
        let closings: [@Sendable () throws -> () -> Void] = [
            { try RunListeners().listeners(for: "a").listen(at: address).giveBack },
            { try HostListeners().listen(at: address).giveBack },
            { try ControlSocket(path: folder("in.sock")).remove },
            { try ListeningSocket(path: folder("in.sock"), mode: 0o600, acknowledges: false).remove },
        ]
        for open in closings {
            let close = try open()
            close()
            #expect(throws: (any Error).self) { try folder.read("in.sock") }
            let closeLater = try open()
            FileSystem.remove(folder("in.sock"))
            try folder.write("precious", to: "in.sock")
            closeLater()
            #expect(try folder.read("in.sock") == "precious")
            FileSystem.remove(folder("in.sock"))
        }
    }

    @Test func `a socket that another process goes on with is closed without a word, and its file stays`()
        throws
    {
        let folder = try TemporaryFolder()
        let address = ListeningAddress.path(folder("in.sock"))
        let listeners = RunListeners()
        let listener = try listeners.listeners(for: "a").listen(at: address)
        listeners.settle()
        // The other process has a copy of it.
        let other = dup(listener.descriptor)
        defer { close(other) }
        listeners.handOver()
        listener.giveBack()
        #expect(!listeners.areUsed)
        #expect((try? LocalConnection(folder("in.sock"))) != nil)
    }

    @Test func `only the socket of a process that has ended is replaced`() throws {
        let folder = try TemporaryFolder()
        let path = folder("in.sock")
        let address = ListeningAddress.path(path)
        try folder.write("precious", to: "in.sock")
        #expect(
            throws: ListeningFailure(
                "\(address): expected nothing, or the socket of a process that has ended, found something else; move it away, or choose another place"
            )
        ) { try address.open() }
        #expect(try folder.read("in.sock") == "precious")
        FileSystem.remove(path)
        try FileSystem.link(path, to: folder("elsewhere"))
        #expect(throws: ListeningFailure.self) { try address.open() }
        FileSystem.remove(path)

        let first = try address.open()
        #expect(
            throws: ListeningFailure(
                "\(address): another process listens there; end it, or choose another place")
        ) { try address.open() }
        // Closed without a word, as by a process that was killed.
        close(first)
        close(try address.open())
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
    func `what is given back during a reload stays open for the next generation, or is closed after it`()
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

    /// The number of a socket.
    private func socket(_ listener: BorrowedListener) -> UInt64 {
        var status = stat()
        _ = unsafe fstat(listener.descriptor, &status)
        return UInt64(status.st_ino)
    }

    @Test func `a socket that somebody has shut down is opened anew for the next who asks`() throws {
        let listeners = RunListeners()
        let first = try listeners.listeners(for: "a").listen(at: any)
        let listener = try listeners.listeners(for: "a").listen(at: any)
        shutdown(first.descriptor, Int32(SHUT_RDWR))
        #expect(!isOpen(listener.address))
        let next = try listeners.listeners(for: "a").listen(at: any)
        #expect(isOpen(next.address))
        for old in [first, listener] { old.giveBack() }
        #expect(isOpen(next.address))
        next.giveBack()
        #expect(!isOpen(next.address))
        #expect(!listeners.areUsed)
    }

    @Test
    func `what a worker has had is for the workers of its instance alone, and others get another socket`()
        throws
    {
        let address = ListeningAddress.port(host: "127.0.0.1", UInt16(try LocalPort.free()))
        for (next, isInWorker, isSame) in [("a", true, true), ("a", false, false), ("b", true, false)] {
            let listeners = RunListeners()
            listeners.hold()
            let first = try listeners.listeners(for: "a", inWorker: true).listen(at: address)
            let before = socket(first)
            // A process of the worker that has not ended.
            let copy = dup(first.descriptor)
            first.giveBack()
            let second = try listeners.listeners(for: next, inWorker: isInWorker).listen(at: address)
            #expect((socket(second) == before) == isSame, "\(next)")
            #expect(isOpen(address))
            close(copy)
            second.giveBack()
            listeners.settle()
            #expect(!isOpen(address))
        }
    }

    @Test func `what a plugin in the host has had goes to the next as it is`() throws {
        let address = ListeningAddress.port(host: "127.0.0.1", UInt16(try LocalPort.free()))
        let listeners = RunListeners()
        listeners.hold()
        let first = try listeners.listeners(for: "a").listen(at: address)
        let before = socket(first)
        first.giveBack()
        #expect(socket(try listeners.listeners(for: "b", inWorker: true).listen(at: address)) == before)
    }

    @Test func `a kept socket that does not listen any more is no socket to keep`() throws {
        var manager = HandedSockets()
        let address = ListeningAddress.port(host: "127.0.0.1", UInt16(try LocalPort.free()))
        let dead = try address.open()
        shutdown(dead, Int32(SHUT_RDWR))
        manager.keep(dead, as: RunListeners.name(of: address, for: "a"))
        let listener = try RunListeners(manager, keeper: nil).listeners(for: "a").listen(at: address)
        #expect(isOpen(listener.address))
    }

    @Test func `whoever waits is told when nobody listens any more`() throws {
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

    @Test func `whoever waits is told at the end of a reload after which nobody listens`() throws {
        let listeners = RunListeners()
        let ends = Calls()
        listeners.onEnd { ends.count.withLock { $0 += 1 } }
        let listener = try listeners.listeners(for: "a").listen(at: any)
        listeners.hold()
        listener.giveBack()
        #expect(ends.count.withLock(\.self) == 0)
        listeners.settle()
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
